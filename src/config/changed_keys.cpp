#include "glassformer/config/changed_keys.hpp"

#include <algorithm>

#include "glassformer/config/key.hpp"

namespace glassformer {
namespace {

/// Whether the list has this key or, with a dot at the end, its section.
bool is_listed(const std::vector<std::string>& list, const std::string& key) {
  return std::ranges::any_of(
      list, [&](const std::string& name) { return name.ends_with('.') ? key.starts_with(name) : key == name; });
}

/// Whether a change to this key affects neither the trained weights nor how validations are compared.
bool is_harmless(const std::string& key, const Config& config) {
  static const std::vector<std::string> kHarmless = {"data.directory",
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
                                                     "training.checkpoints.",
                                                     "decoding.",
                                                     "evaluation."};
  if (key == "training.max_updates" && config.training.schedule.kind == ScheduleSettings::Kind::cosine) {
    return false;
  }
  return is_listed(kHarmless, key);
}

}  // namespace

// A key of the section model is part of the shape unless it is named here.
bool is_of_shape(const std::string& key) {
  static const std::vector<std::string> kOfTraining = {"model.dropout",           "model.embedding_dropout",
                                                       "model.attention_dropout", "model.activation_dropout",
                                                       "model.initial_gain",      "model.from"};
  if (key == "tokenizer.kind" || key == "tokenizer.joint") {
    return true;
  }
  return key.starts_with("model.") && !is_listed(kOfTraining, key);
}

std::vector<ChangedKey> changed_keys(const Config& before, const Config& after) {
  Config copy_before = before;
  Config copy_after = after;  // keys_of needs fields that it can write
  const std::vector<Key> keys = keys_of(copy_before);
  const std::vector<Key> keys_after = keys_of(copy_after);
  std::vector<ChangedKey> changed;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string& name = keys[i].name;
    const std::string old = keys[i].field.write();
    const std::string now = keys_after[i].field.write();
    if (old != now) {
      changed.push_back({name, old, now, !is_harmless(name, after)});
    }
  }
  return changed;
}

}  // namespace glassformer
