#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/run_directory.hpp"
#include "model/model.hpp"
#include "run/settings.hpp"
#include "text/tokenizer.hpp"

namespace glassformer {

/// The contents of a config file, one struct for each module.
struct Config {
  DataSettings data;
  TokenizerSettings tokenizer;
  TransformerSettings model;
  TrainingSettings training;
  RunSettings run;  ///< its keys are under training too
  DecodingSettings decoding;
  EvaluationSettings evaluation;
  std::filesystem::path model_from;  ///< training starts from this model's weights and tokenizers; empty: from scratch

  bool operator==(const Config&) const = default;
};

/// Reads and checks a config file. Missing keys come from its base (`base: FILE`, its first key), then from the model
/// that model.from names (sections model, masks, tokenizer and decoding), then from the defaults. `overrides` are
/// KEY=VALUE with dots in the key (model.dropout=0.2); the value is YAML. Paths are relative to the file's directory,
/// and in overrides to the current one; they become absolute.
///
/// `resumed`: a run that has a checkpoint, and will be continued with this config. It needs neither model.from nor
/// tokenizer.source_model any more, so they need not exist: missing keys come from its config.yaml instead.
/// \throws UserError naming file, line and key: unreadable file, not YAML, unknown key (with the nearest known one),
/// key
///         given twice, wrong type, value out of range, missing key without default, missing data file, a shape other
///         than that of model.from
Config read_config(const std::filesystem::path& file, const std::vector<std::string>& overrides = {},
                   const std::optional<std::filesystem::path>& resumed = {});

/// The same, but data files need not exist. `warn`: whether to log a warning about retired keys.
Config read_config_of_checkpoint(const std::filesystem::path& file, bool warn = true);

/// The config of the model in a directory: one of our checkpoints, or a model that transformers.MarianMTModel saved.
/// For a MarianMTModel, keys that config.json and generation_config.json do not set have their defaults.
/// \throws UserError: the directory has neither; a damaged file; another architecture
Config read_config_of_model(const std::filesystem::path& directory);

/// A key whose values differ between two configs.
struct ChangedKey {
  std::string name, before, after;
  bool changes_training;  ///< false: a resumed run may change it
};

/// The keys whose values differ. A resumed run may change how long it trains, when it validates, what it logs and
/// keeps, how it decodes and evaluates, and where its files are.
std::vector<ChangedKey> changed_keys(const Config& before, const Config& after);

/// Sets keys of the sections decoding and evaluation of a trained model's config; `overrides` are as in read_config.
/// \return the names of the keys that were set \throws UserError as read_config does; a key of another section
std::vector<std::string> set_use_of_model(Config& config, const std::vector<std::string>& overrides);

/// Whether a key is part of the model's shape, so that weights trained with another value do not fit.
bool is_of_shape(const std::string& key);

/// The whole config as YAML, each key with a comment. Reading it gives the same config.
std::string write_config(const Config& config);

/// A trained model, as evaluate and translate use it.
struct LoadedModel {
  std::filesystem::path checkpoint;
  Config config;
  TokenizerPair tokenizers;
  Model<float> model;

  /// \param path  a checkpoint, or a run directory for its best checkpoint
  /// \throws UserError: no checkpoint there, or a damaged one
  explicit LoadedModel(const std::filesystem::path& path);

 private:
  struct AllFilesOf {};
  LoadedModel(AllFilesOf, const std::filesystem::path& directory);
  static LoadedModel read(const std::filesystem::path& path);
};

/// The tokenizers that training starts with: those of model.from, or else new ones, learned from the text.
/// \throws UserError like make_tokenizers and load_tokenizers
TokenizerPair starting_tokenizers(const Config& config);

/// A checkpoint's config files: config.yaml for us; config.json and others for the Hugging Face library. (Its Marian
/// model is our post-norm transformer: the same sums in the same order, sinusoidal positions with the sines first.)
ModelDescription describe_model(const Config& config, const TokenizerPair& tokenizers);

/// The parts of this config that a TrainingRun needs.
TrainingPlan plan_training(const Config& config, const TokenizerPair& tokenizers);

/// How `config` differs from the config that the run was started or last continued with.
/// \throws UserError: a key has changed that a resumed run must keep; the run's config.yaml is missing or damaged
std::vector<ChangedKey> accept_changes(const RunDirectory& run, const Config& config);

}  // namespace glassformer
