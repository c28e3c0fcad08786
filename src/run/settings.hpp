#pragma once

#include "checkpoint/checkpoint.hpp"
#include "decoding/settings.hpp"
#include "evaluation/settings.hpp"
#include "model/settings.hpp"
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

/// What a run of training is told: the settings of all modules that take part, and what it writes about them.
struct TrainingPlan {
  TransformerSettings model;
  TrainingSettings training;
  RunSettings run;
  DecodingSettings decoding;  ///< the search of validations, apart from its beam
  EvaluationSettings evaluation;
  std::filesystem::path model_from = {};  ///< the checkpoint whose weights it begins with; empty: random weights
  ModelDescription description = {};      ///< for its directory and its checkpoints
};

}  // namespace glassformer
