#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "decoding/settings.hpp"
#include "evaluation/settings.hpp"
#include "model/settings.hpp"
#include "numerics/matrix.hpp"
#include "text/settings.hpp"
#include "training/settings.hpp"

namespace glassformer {

/// What a validation measures.
enum class Metric { loss, perplexity, token_accuracy, bleu, exact_match };

/// When the validation text is looked at, and what follows from it.
struct ValidationSettings {
  enum class Unit { updates, epochs };
  Index every = 500;  ///< so many units between validations; a checkpoint is written with each
  Unit unit = Unit::updates;
  Metric metric = Metric::loss;  ///< which figure makes a checkpoint the best, and rules patience
  Index patience = 0;            ///< stop after so many validations without a new best; 0: never
  Index samples = 2;             ///< sample translations in the log

  bool operator==(const ValidationSettings&) const = default;
};

/// Which checkpoints stay.
struct CheckpointSettings {
  Index keep = 3;     ///< the latest so many stay on disk (best and last always)
  Index average = 0;  ///< at the end, the mean of the last so many becomes a checkpoint of its own; 0: none

  bool operator==(const CheckpointSettings&) const = default;
};

/// How long a run trains, and what it does between updates. Its keys in a config are those of the training.
struct RunSettings {
  Index max_epochs = 0;    ///< 0: no limit. One of max_epochs, max_minutes and the training's max_updates is set
  double max_minutes = 0;  ///< 0: no limit
  Index max_skipped = 10;  ///< a run ends after more than so many skipped updates in a row
  Index log_every = 50;    ///< updates between log lines
  ValidationSettings validation;
  CheckpointSettings checkpoints;

  bool operator==(const RunSettings&) const = default;
};

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

/// The config of the model in a directory: our checkpoint, or one that transformers.MarianMTModel has saved.
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

}  // namespace glassformer
