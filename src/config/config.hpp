#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/run_directory.hpp"
#include "model/model.hpp"
#include "run/settings.hpp"
#include "text/tokenizer.hpp"

namespace glassformer {

/// Everything a config file says, one struct for each module.
struct Config {
  DataSettings data;
  TokenizerSettings tokenizer;
  TransformerSettings model;
  TrainingSettings training;
  RunSettings run;  ///< its keys stand under training, too
  DecodingSettings decoding;
  EvaluationSettings evaluation;
  std::filesystem::path model_from;  ///< training begins with this model's weights and tokenizers; empty: anew

  bool operator==(const Config&) const = default;
};

/// Reads and checks a config file. Keys that it leaves out are as in its base (`base: FILE`, its first key); those
/// of model, tokenizer and decoding as in model.from, if there is one. `overrides` are KEY=VALUE with dots in the key
/// (model.dropout=0.2); the value is YAML. Paths in a file are relative to the file's directory, paths in overrides to
/// the current one; both come out absolute. \throws UserError naming file, line and key: unreadable file, not YAML,
///         unknown key (with the nearest known one), key given twice, wrong type, value out of range, missing key
///         without default, missing data file, a shape that is not that of model.from
Config read_config(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// The same, but data files need not exist. `warn`: whether the log names its retired keys.
Config read_config_of_checkpoint(const std::filesystem::path& file, bool warn = true);

/// The config of the model in a directory: our checkpoint, or one that transformers.MarianMTModel has saved, whose
/// config.json and generation_config.json say less: other keys have their defaults.
/// \throws UserError: neither; a damaged file; another architecture
Config read_config_of_model(const std::filesystem::path& directory);

/// A key in which two configs differ.
struct ChangedKey {
  std::string name, before, after;
  bool changes_training;  ///< false: the trained weights do not depend on it
};

/// The keys in which the two differ. The trained weights do not depend on how long to train, what to log and keep, how
/// to decode and evaluate, and where files lie.
std::vector<ChangedKey> changed_keys(const Config& before, const Config& after);

/// The whole config as YAML, each key with a comment; read_config of it gives the same.
std::string write_config(const Config& config);

/// A trained model, as evaluate and translate use it.
struct LoadedModel {
  std::filesystem::path checkpoint;
  Config config;
  TokenizerPair tokenizers;
  Model<float> model;

  /// \param path  a checkpoint, or a run directory: then its best checkpoint
  /// \throws UserError: no checkpoint there, or a damaged one
  explicit LoadedModel(const std::filesystem::path& path);
};

/// What a training begins with: the tokenizers of model.from, or else new ones, learned from the text.
/// \throws UserError as make_tokenizers and load_tokenizers
TokenizerPair starting_tokenizers(const Config& config);

/// What a checkpoint says of this config, for us and, as config.json and its like, for the Hugging Face library. (Its
/// Marian model is our post-norm transformer: the same sums in the same order, sinusoidal positions, the sines first.)
ModelDescription describe_model(const Config& config, const TokenizerPair& tokenizers);

/// What a TrainingRun takes of this config.
TrainingPlan plan_training(const Config& config, const TokenizerPair& tokenizers);

/// How `config` differs from the one that the run was begun with, or continued with since.
/// \throws UserError: the trained weights depend on a difference; the run's config.yaml is missing or damaged
std::vector<ChangedKey> accept_changes(const RunDirectory& run, const Config& config);

}  // namespace glassformer
