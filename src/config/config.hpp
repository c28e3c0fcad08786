#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "glassformer/decoding/settings.hpp"
#include "glassformer/model/settings.hpp"
#include "glassformer/settings/evaluation.hpp"
#include "glassformer/settings/run.hpp"
#include "glassformer/settings/text.hpp"
#include "glassformer/training/settings.hpp"

namespace glassformer {

/// The contents of a config file, one struct for each subject.
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

/// Finds the models that a config can start from, about which this module knows nothing.
struct Models {
  /// The directory of the model that model.from names. \throws UserError: there is none
  std::function<std::filesystem::path(const std::filesystem::path& from)> find;
  /// The config of the model in this directory. \throws UserError: it is damaged
  std::function<Config(const std::filesystem::path& directory)> config_of;
};

/// Reads and checks a config file. Missing keys come from its base (`base: FILE`, its first key), then from the model
/// that model.from names (sections model, masks, tokenizer and decoding), then from the defaults. `overrides` are
/// KEY=VALUE with dots in the key (model.dropout=0.2); the value is YAML. Paths are relative to the file's directory,
/// and in overrides to the current one; they become absolute.
///
/// `resumed`: a run that has a checkpoint, and will be continued with this config. It needs neither model.from nor
/// tokenizer.source_model any more, so they need not exist: missing keys come from its config.yaml instead.
/// \throws UserError naming file, line and key: unreadable file, not YAML, unknown key (with the nearest known one),
///         key given twice, wrong type, value out of range, missing key without default, missing data file, a shape
///         other than that of model.from
Config parse_config(const std::filesystem::path& file, const std::vector<std::string>& overrides, const Models& models,
                    const std::optional<std::filesystem::path>& resumed = {});

/// The same, but neither data files nor model.from need to exist. `warn`: whether to log a warning about retired keys.
Config read_config_of_checkpoint(const std::filesystem::path& file, bool warn = true);
/// The config that a run was started with. Warns about nothing, because the user has seen it.
/// \throws UserError: the run directory has none, or a damaged one
Config read_config_of_run(const std::filesystem::path& run);

/// Sets keys of the sections decoding and evaluation of a trained model's config; `overrides` are as in parse_config.
/// \return the names of the keys that were set \throws UserError as parse_config does; a key of another section
std::vector<std::string> set_use_of_model(Config& config, const std::vector<std::string>& overrides);

/// The whole config as YAML, each key with a comment. Reading it gives the same config.
std::string write_config(const Config& config);

}  // namespace glassformer
