#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "config/workplace.hpp"
#include "glassformer/config/changed_keys.hpp"
#include "glassformer/config/key.hpp"

using namespace glassformer;

namespace {

/// What a key says about a section, which no key accepts; its words include all that the key accepts.
std::string complaint_of(const Key& key) {
  try {
    key.field.read({Value::Kind::section, "", false, {}}, {});
  } catch (const UserError& error) {
    return error.what();
  }
  FAIL(key.name << " accepts a section");
  return "";
}

/// Gives the key another value that it accepts.
void change(const Key& key) {
  const std::string before = key.field.write();
  std::istringstream texts("7 0.99 true false " +
                           std::regex_replace(complaint_of(key), std::regex("[^a-z0-9_]+"), " "));
  for (std::string text; texts >> text;) {
    try {
      key.field.read({Value::Kind::text, text, false, {}}, {});
    } catch (const UserError&) {
    }
    if (key.field.write() != before) {
      return;
    }
  }
  key.field.read({Value::Kind::list, "", false, {{Value::Kind::text, "other", false, {}}}}, {});
}

/// The change that is found if only the key with this number differs.
std::vector<ChangedKey> changes_of(std::size_t number, const Config& before = {}) {
  Config after = before;
  change(keys_of(after)[number]);
  return changed_keys(before, after);
}

std::vector<std::string> names_of_keys() {
  Config config;
  std::vector<std::string> names;
  for (const Key& key : keys_of(config)) {
    names.push_back(key.name);
  }
  return names;
}

}  // namespace

TEST_CASE("a resumed run may change exactly these keys", "[config]") {
  const std::set<std::string> allowed = {"data.directory",
                                         "data.train",
                                         "data.tests",
                                         "tokenizer.source_model",
                                         "tokenizer.target_model",
                                         "model.from",
                                         "training.max_updates",
                                         "training.max_epochs",
                                         "training.max_minutes",
                                         "training.max_skipped",
                                         "training.log_every",
                                         "training.validation.every",
                                         "training.validation.unit",
                                         "training.validation.patience",
                                         "training.validation.translate",
                                         "training.validation.samples",
                                         "training.checkpoints.keep",
                                         "training.checkpoints.average",
                                         "decoding.beam",
                                         "decoding.length_penalty",
                                         "decoding.early_stopping",
                                         "decoding.batch",
                                         "decoding.max_length_ratio",
                                         "evaluation.bleu_tokenizer",
                                         "evaluation.lowercase"};
  const std::vector<std::string> names = names_of_keys();
  std::set<std::string> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(names[i]);
    const std::vector<ChangedKey> changes = changes_of(i);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].name == names[i]);
    CHECK(changes[0].before != changes[0].after);
    if (!changes[0].changes_training) {
      found.insert(names[i]);
    }
  }
  CHECK(found == allowed);
}

TEST_CASE("the cosine schedule depends on max_updates, and on no other limit", "[config]") {
  Config cosine;
  cosine.training.schedule.kind = ScheduleSettings::Kind::cosine;
  const std::vector<std::string> names = names_of_keys();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].starts_with("training.max_") && names[i] != "training.max_tokens") {
      CAPTURE(names[i]);
      CHECK(changes_of(i, cosine).at(0).changes_training == (names[i] == "training.max_updates"));
    }
  }
}

TEST_CASE("a model's shape: tokenizer.kind, tokenizer.joint, and every model key except these", "[config]") {
  const std::set<std::string> of_training = {
      "model.from",         "model.dropout",           "model.embedding_dropout",
      "model.initial_gain", "model.attention_dropout", "model.activation_dropout"};
  std::set<std::string> shape = {"tokenizer.kind", "tokenizer.joint"};
  for (const std::string& name : names_of_keys()) {
    if (name.starts_with("model.") && !of_training.contains(name)) {
      shape.insert(name);
    }
  }
  std::set<std::string> found;
  for (const std::string& name : names_of_keys()) {
    if (is_of_shape(name)) {
      found.insert(name);
    }
  }
  CHECK(found == shape);
  CHECK(is_of_shape("model.dropout_of_a_new_layer"));  // a new key is not mistaken for one whose name it begins with
}
