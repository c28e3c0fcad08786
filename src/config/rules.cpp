#include "glassformer/config/rules.hpp"

#include <spdlog/fmt/fmt.h>

#include "glassformer/schema/model.hpp"
#include "glassformer/schema/training.hpp"

namespace glassformer {
namespace {

/// Rules within one section, which the core checks as well.
void check_section(const std::string& section, const auto& settings, const Blame& blame) {
  if (const std::optional<BrokenRule> broken = broken_rule(settings)) {
    std::vector<std::string> keys;
    for (const std::string& name : broken->settings) {
      keys.push_back(fmt::format("{}.{}", section, name));
    }
    blame.refuse(keys, broken->why);
  }
}

void check_tying(const TransformerSettings& model, const TokenizerSettings& tokenizer, const Blame& blame) {
  if (model.tied_embeddings == Tying::all && !tokenizer.joint) {
    blame.refuse({"model.tied_embeddings", "tokenizer.joint"},
                 "tied_embeddings: all needs one vocabulary for both languages; set tokenizer.joint: true or "
                 "tied_embeddings: target");
  }
}

void check_tokenizer(const TokenizerSettings& tokenizer, const Blame& blame) {
  if (tokenizer.joint && !tokenizer.target_model.empty()) {
    blame.refuse({"tokenizer.target_model", "tokenizer.joint"},
                 "a joint tokenizer has one model; name it in source_model and leave target_model \"\"");
  }
  for (const auto& [key, size] : {std::pair("tokenizer.source_vocabulary_size", tokenizer.source_vocabulary_size),
                                  {"tokenizer.target_vocabulary_size", tokenizer.target_vocabulary_size}}) {
    if (size != 0 && tokenizer.joint) {
      blame.refuse(
          {key, "tokenizer.joint"},
          fmt::format("a joint vocabulary has only one size, so {} must be 0; set tokenizer.vocabulary_size, or "
                      "joint: false",
                      key));
    }
    if (size > 0 && size < kLeastVocabulary) {
      blame.refuse({key},
                   fmt::format("expected 0 (as vocabulary_size) or at least {}, found {}", kLeastVocabulary, size));
    }
  }
  if (tokenizer.kind == TokenizerKind::sentencepiece) {
    return;
  }
  const bool has_source = !tokenizer.source_model.empty();
  if (has_source || !tokenizer.target_model.empty()) {
    blame.refuse({has_source ? "tokenizer.source_model" : "tokenizer.target_model", "tokenizer.kind"},
                 "a .model file needs tokenizer.kind: sentencepiece; set it, or leave the file out");
  }
}

void check_validation(const DataSettings& data, const ValidationSettings& validation, const Blame& blame) {
  const bool is_of_translations = validation.metric == Metric::bleu || validation.metric == Metric::exact_match;
  if (is_of_translations && !validation.translate) {
    blame.refuse(
        {"training.validation.translate", "training.validation.metric"},
        "training.validation.metric is measured on translations, so training.validation.translate must be true; "
        "or set metric to loss, perplexity or token_accuracy");
  }
  if (data.valid.empty() && validation.patience > 0) {
    blame.refuse({"training.validation.patience", "data.valid"},
                 "data.valid is \"\", so there are no validations, and training.validation.patience must be 0; name a "
                 "validation text, or limit training by updates, epochs or minutes");
  }
}

void check_length(const TrainingSettings& training, const RunSettings& run, const Blame& blame) {
  if (training.max_updates == 0 && run.max_epochs == 0 && run.max_minutes == 0) {
    blame.refuse({"training.max_updates", "training.max_epochs", "training.max_minutes"},
                 "max_updates, max_epochs and max_minutes are all 0, so training would never end; set at least one");
  }
}

}  // namespace

void check_rules(const Config& config, const Blame& blame) {
  check_section("model", config.model, blame);
  check_tying(config.model, config.tokenizer, blame);
  check_tokenizer(config.tokenizer, blame);
  check_length(config.training, config.run, blame);
  check_validation(config.data, config.run.validation, blame);
  check_section("training", config.training, blame);
}

void check_precision(Config& config, const Blame& blame) {
  for (const Key& key : keys_of(config)) {
    if (!key.field.single_precision) {
      continue;
    }
    if (const std::string problem = key.field.single_precision(); !problem.empty()) {
      blame.refuse({key.name}, problem);
    }
  }
}

}  // namespace glassformer
