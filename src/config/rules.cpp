#include "glassformer/config/rules.hpp"

#include <spdlog/fmt/fmt.h>

namespace glassformer {
namespace {

void check_model(const TransformerSettings& model, const TokenizerSettings& tokenizer, const Blame& blame) {
  if (model.d_model % 2 != 0) {
    blame.refuse({"model.d_model"},
                 fmt::format("expected an even number, found {}; positions are encoded as half sines, half cosines",
                             model.d_model));
  }
  Index divisor = model.heads;
  while (model.d_model % divisor != 0) {
    --divisor;
  }
  if (divisor != model.heads) {
    blame.refuse({"model.heads", "model.d_model"},
                 fmt::format("heads must divide d_model, but {} does not divide {}; choose, for example, {} heads",
                             model.heads, model.d_model, divisor));
  }
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

void check_training(const DataSettings& data, const TrainingSettings& training, const RunSettings& run,
                    const Blame& blame) {
  if (training.max_updates == 0 && run.max_epochs == 0 && run.max_minutes == 0) {
    blame.refuse({"training.max_updates", "training.max_epochs", "training.max_minutes"},
                 "max_updates, max_epochs and max_minutes are all 0, so training would never end; set at least one");
  }
  check_validation(data, run.validation, blame);
  if (training.schedule.kind != ScheduleSettings::Kind::cosine) {
    return;
  }
  if (training.max_updates == 0) {
    blame.refuse({"training.schedule.kind", "training.max_updates"},
                 "the cosine schedule ends at max_updates; set training.max_updates above 0");
  }
  if (training.schedule.warmup >= training.max_updates) {
    blame.refuse({"training.schedule.warmup", "training.max_updates", "training.schedule.kind"},
                 fmt::format("the warm-up, {} updates, must be shorter than training.max_updates, {}, because the "
                             "cosine comes after it",
                             training.schedule.warmup, training.max_updates));
  }
}

}  // namespace

void check_rules(const Config& config, const Blame& blame) {
  check_model(config.model, config.tokenizer, blame);
  check_tokenizer(config.tokenizer, blame);
  check_training(config.data, config.training, config.run, blame);
}

void check_precision(Config& config, const Blame& blame) {
  for (const Key& key : keys_of(config)) {
    if (!key.field.single_precision || key.name == "training.max_minutes") {
      continue;
    }
    if (const std::string problem = key.field.single_precision(); !problem.empty()) {
      blame.refuse({key.name}, problem);
    }
  }
}

}  // namespace glassformer
