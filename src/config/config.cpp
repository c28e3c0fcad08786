#include "config/config.hpp"

#include <algorithm>

#include "config/checks.hpp"
#include "config/key.hpp"
#include "config/marian_config.hpp"
#include "config/retired_keys.hpp"
#include "config/yaml_reader.hpp"

namespace glassformer {
namespace {

constexpr Index many = 1'000'000'000;

/// Every key of a config file: its name, its field and what it takes. A new key is one line here (and one in
/// each file in configs/). Defaults are those of the structs.
std::vector<Key> keys_of(Config& config) {
  DataSettings& data = config.data;
  TokenizerSettings& tokenizer = config.tokenizer;
  TransformerSettings& model = config.model;
  TrainingSettings& training = config.training;
  DecodingSettings& decoding = config.decoding;
  EvaluationSettings& evaluation = config.evaluation;
  using Optimizer = OptimizerSettings::Kind;
  using Schedule = ScheduleSettings::Kind;
  using ValidationUnit = ValidationSettings::Unit;
  using Piece = SentencePieceModel;
  return {
      path("data.directory", data.directory).needed(),
      text("data.source_language", data.source_language).needed(),
      text("data.target_language", data.target_language).needed(),
      text("data.train", data.train),
      text("data.valid", data.valid),
      texts("data.tests", data.tests),
      whole("data.max_length", data.max_length, 1, many),
      whole("data.mapped_above", data.mapped_above, 0, 1000 * many),

      choice("tokenizer.kind", tokenizer.kind,
             {{"word", TokenizerKind::word},
              {"sentencepiece", TokenizerKind::sentencepiece},
              {"marian", TokenizerKind::marian}}),
      flag("tokenizer.joint", tokenizer.joint),
      whole("tokenizer.vocabulary_size", tokenizer.vocabulary_size, 5, 10'000'000),
      whole("tokenizer.min_frequency", tokenizer.min_frequency, 1, many),
      choice("tokenizer.model", tokenizer.model, {{"bpe", Piece::bpe}, {"unigram", Piece::unigram}}),
      number("tokenizer.sampling", tokenizer.sampling, from_0_to_below_1),
      path_or_none("tokenizer.source_model", tokenizer.source_model),
      path_or_none("tokenizer.target_model", tokenizer.target_model),

      path_or_none("model.from", config.model_from),
      whole("model.d_model", model.d_model, 2, 100'000),
      whole("model.heads", model.heads, 1, 100'000),
      whole("model.encoder_layers", model.encoder_layers, 1, 1000),
      whole("model.decoder_layers", model.decoder_layers, 1, 1000),
      whole("model.d_ff", model.d_ff, 1, 1'000'000),
      choice("model.norm", model.norm, {{"post", Norm::post}, {"pre", Norm::pre}}),
      choice("model.activation", model.activation,
             {{"relu", Activation::relu}, {"gelu", Activation::gelu}, {"swish", Activation::swish}}),
      choice("model.tied_embeddings", model.tied_embeddings,
             {{"none", Tying::none}, {"target", Tying::target}, {"all", Tying::all}}),
      flag("model.scale_embeddings", model.scale_embeddings),
      number("model.dropout", model.dropout, from_0_to_below_1),
      number("model.embedding_dropout", model.embedding_dropout, from_0_to_below_1),
      number("model.attention_dropout", model.attention_dropout, from_0_to_below_1),
      number("model.activation_dropout", model.activation_dropout, from_0_to_below_1),
      number("model.initial_gain", model.initial_gain, above_0),

      flag("masks.encoder_padding", model.masks.encoder_padding),
      flag("masks.look_ahead", model.masks.look_ahead),
      flag("masks.target_padding", model.masks.target_padding),
      flag("masks.cross_padding", model.masks.cross_padding),

      whole("training.seed", training.seed),
      whole("training.max_tokens", training.max_tokens, 1, many),
      whole("training.accumulation", training.accumulation, 1, many),
      whole("training.shards", training.shards, 1, 1000),
      whole("training.micro_batch_tokens", training.micro_batch_tokens, 1, many),
      number("training.label_smoothing", training.label_smoothing, from_0_to_below_1),
      whole("training.max_updates", training.max_updates, 0, many),
      whole("training.max_epochs", config.run.max_epochs, 0, many),
      number("training.max_minutes", config.run.max_minutes, at_least_0),
      whole("training.max_skipped", config.run.max_skipped, 0, many),
      whole("training.log_every", config.run.log_every, 1, many),
      choice("training.optimizer.kind", training.optimizer.kind,
             {{"adam", Optimizer::adam}, {"adamw", Optimizer::adamw}, {"muon", Optimizer::muon}}),
      number("training.optimizer.beta1", training.optimizer.beta1, from_0_to_below_1),
      number("training.optimizer.beta2", training.optimizer.beta2, from_0_to_below_1),
      number("training.optimizer.epsilon", training.optimizer.epsilon, above_0),
      number("training.optimizer.momentum", training.optimizer.momentum, from_0_to_below_1),
      number("training.optimizer.weight_decay", training.optimizer.weight_decay, at_least_0),
      number("training.optimizer.clip_norm", training.optimizer.clip_norm, at_least_0),
      choice(
          "training.schedule.kind", training.schedule.kind,
          {{"inverse_sqrt", Schedule::inverse_sqrt}, {"cosine", Schedule::cosine}, {"constant", Schedule::constant}}),
      number("training.schedule.learning_rate", training.schedule.learning_rate, above_0),
      whole("training.schedule.warmup", training.schedule.warmup, 0, many),
      number("training.schedule.initial_rate", training.schedule.initial_rate, at_least_0),
      number("training.schedule.final_rate", training.schedule.final_rate, at_least_0),
      whole("training.validation.every", config.run.validation.every, 1, many),
      choice("training.validation.unit", config.run.validation.unit,
             {{"updates", ValidationUnit::updates}, {"epochs", ValidationUnit::epochs}}),
      choice("training.validation.metric", config.run.validation.metric,
             {{"loss", Metric::loss},
              {"perplexity", Metric::perplexity},
              {"token_accuracy", Metric::token_accuracy},
              {"bleu", Metric::bleu},
              {"exact_match", Metric::exact_match}}),
      whole("training.validation.patience", config.run.validation.patience, 0, many),
      whole("training.validation.samples", config.run.validation.samples, 0, many),
      whole("training.checkpoints.keep", config.run.checkpoints.keep, 1, many),
      whole("training.checkpoints.average", config.run.checkpoints.average, 0, many),

      whole("decoding.beam", decoding.beam, 1, 1000),
      number("decoding.length_penalty", decoding.length_penalty, at_least_0),
      flag("decoding.early_stopping", decoding.early_stopping),
      whole("decoding.batch", decoding.batch, 1, 1'000'000),
      number("decoding.max_length_ratio", decoding.max_length_ratio, at_least_0),

      choice("evaluation.bleu_tokenizer", evaluation.bleu_tokenizer,
             {{"none", BleuTokenizer::none}, {"13a", BleuTokenizer::tok_13a}}),
      flag("evaluation.lowercase", evaluation.lowercase),
  };
}

/// What a config that begins with this model has, where it does not say otherwise.
Config begun_with(const Config& model) {
  Config config;
  config.model = model.model;
  config.tokenizer = model.tokenizer;
  config.tokenizer.source_model.clear();  // they lie in the model's directory
  config.tokenizer.target_model.clear();
  config.decoding = model.decoding;
  return config;
}

}  // namespace

Config read_config(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  Config config;
  Places places = read_yaml(keys_of(config), file, overrides);
  warn_about_retired_keys(places);
  if (!config.model_from.empty()) {
    check_model_from(config.model_from, places, file);
    const Config model = read_config_of_model(config.model_from);
    config = begun_with(model);
    places = read_yaml(keys_of(config), file, overrides);
    check_same_model(changed_keys(model, config), places, file);
  }
  check_rules(config, places, file);
  check_files(config, places, file);
  return config;
}

Config read_config_of_checkpoint(const std::filesystem::path& file, bool warn) {
  Config config;
  const Places places = read_yaml(keys_of(config), file, {});
  if (warn) warn_about_retired_keys(places);
  check_rules(config, places, file);
  return config;
}

Config read_config_of_model(const std::filesystem::path& directory) {
  std::error_code ignored;
  const std::filesystem::path ours = directory / "config.yaml";
  return std::filesystem::exists(ours, ignored) ? read_config_of_checkpoint(ours) : read_marian_config(directory);
}

std::vector<ChangedKey> changed_keys(const Config& before, const Config& after) {
  // clang-format off
  static const std::vector<std::string> kHarmless = {
      "data.directory", "data.train", "data.tests", "data.mapped_above", "tokenizer.source_model",
      "tokenizer.target_model", "model.from", "training.max_updates", "training.max_epochs", "training.max_minutes",
      "training.max_skipped", "training.log_every", "training.validation.every", "training.validation.unit",
      "training.validation.patience", "training.validation.samples", "training.checkpoints.", "decoding.",
      "evaluation."};
  // clang-format on
  const auto is_harmless = [&](const std::string& key) {
    if (key == "training.max_updates" && after.training.schedule.kind == ScheduleSettings::Kind::cosine) return false;
    return std::any_of(kHarmless.begin(), kHarmless.end(), [&](const auto& name) { return key.starts_with(name); });
  };
  Config copy_before = before, copy_after = after;  // the table reads and writes
  const std::vector<Key> keys_before = keys_of(copy_before), keys_after = keys_of(copy_after);
  std::vector<ChangedKey> changed;
  for (std::size_t i = 0; i < keys_before.size(); ++i) {
    const std::string &name = keys_before[i].name, old = keys_before[i].write(), now = keys_after[i].write();
    if (old != now) changed.push_back({name, old, now, !is_harmless(name)});
  }
  return changed;
}

std::string write_config(const Config& config) {
  Config copy = config;  // the table reads and writes, so it asks for fields that may change
  return "# The complete config of a run: every default is written out, every path is absolute.\n" +
         write_yaml(keys_of(copy));
}

}  // namespace glassformer
