#pragma once

#include <filesystem>
#include <functional>

#include "glassformer/decoding/settings.hpp"
#include "glassformer/model/settings.hpp"
#include "glassformer/settings/evaluation.hpp"
#include "glassformer/settings/run.hpp"
#include "glassformer/settings/text.hpp"
#include "glassformer/training/settings.hpp"

namespace glassformer {

/// Everything a training run needs to know: the settings of all modules involved, and how to write them to disk.
struct TrainingPlan {
  TransformerSettings model;
  TrainingSettings training;
  RunSettings run;
  DecodingSettings decoding;  ///< the search in validations, where the beam is always 1
  EvaluationSettings evaluation;
  TokenizerSettings tokenizer;
  std::filesystem::path model_from = {};  ///< the checkpoint whose weights it starts from; empty: random weights
  /// Writes the run's config.yaml into its directory. (Only module config knows how to write one.)
  std::function<void(const std::filesystem::path& directory)> write_config = {};
  /// Writes what describes the model into a new checkpoint: config, vocabularies.
  std::function<void(const std::filesystem::path& directory)> describe_model = {};
};

}  // namespace glassformer
