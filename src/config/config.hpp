#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/run_settings.hpp"
#include "decoding/settings.hpp"
#include "evaluation/settings.hpp"
#include "model/settings.hpp"
#include "text/settings.hpp"
#include "training/settings.hpp"

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

/// Reads and checks a config file, which may begin with `base: FILE`: keys that it leaves out are as in that file.
/// Where it names a model to begin with (model.from), keys of model, tokenizer and decoding that it does not have are
/// as in that model. `overrides` are KEY=VALUE with dots in the key (model.dropout=0.2); the value is YAML. Paths in a
/// file are relative to the file's directory, paths in overrides to the current one; both come out absolute. \throws
/// UserError naming file, line and key: unknown key (with the nearest known one), wrong type, value out
///         of range, missing key without default, missing data file, a shape that is not that of model.from
Config read_config(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// The same without the check that data files exist: a checkpoint may be used where its training data is not. `warn`:
/// whether the log names its retired keys.
Config read_config_of_checkpoint(const std::filesystem::path& file, bool warn = true);

/// The config of the model in a directory: a checkpoint of ours, or what transformers.MarianMTModel has saved.
/// \throws UserError: neither; a damaged file; a model that ours cannot be
Config read_config_of_model(const std::filesystem::path& directory);

/// A key in which two configs differ.
struct ChangedKey {
  std::string name, before, after;
  bool changes_training;  ///< false: the trained weights do not depend on it
};

/// The keys in which the two differ. The trained weights depend on all of them but those on how long to train, what
/// to log and keep, how to decode and evaluate, and where files lie.
std::vector<ChangedKey> changed_keys(const Config& before, const Config& after);

/// The whole config as YAML, without a base: every key with a comment that explains it, with paths absolute.
/// read_config of it gives the same.
std::string write_config(const Config& config);

}  // namespace glassformer
