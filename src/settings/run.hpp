#pragma once

#include "numerics/matrix.hpp"

namespace glassformer {

/// What a validation measures.
enum class Metric { loss, perplexity, token_accuracy, bleu, exact_match };

/// When to validate, and how to use the result.
struct ValidationSettings {
  enum class Unit { updates, epochs };
  Index every = 500;  ///< units between validations; each validation writes a checkpoint
  Unit unit = Unit::updates;
  Metric metric = Metric::loss;  ///< the metric that decides which checkpoint is best, also for patience
  Index patience = 0;            ///< stop after this many validations without a new best; 0: never
  bool translate = true;         ///< whether a validation also translates; if not, it measures only loss and accuracy
  Index samples = 2;             ///< sample translations in the log

  bool operator==(const ValidationSettings&) const = default;
};

/// Which checkpoints are kept.
struct CheckpointSettings {
  Index keep = 3;     ///< how many of the latest stay on disk (best and last always do)
  Index average = 0;  ///< at the end, also save the mean of the last `average` checkpoints; 0: none

  bool operator==(const CheckpointSettings&) const = default;
};

/// How long a run trains, and what it does between updates. In a config, its keys are under training.
struct RunSettings {
  Index max_epochs = 0;    ///< 0: no limit. At least one of max_epochs, max_minutes and training.max_updates is set
  double max_minutes = 0;  ///< 0: no limit
  Index max_skipped = 10;  ///< a run ends after more than this many skipped updates in a row
  Index log_every = 50;    ///< updates between log lines
  ValidationSettings validation;
  CheckpointSettings checkpoints;

  bool operator==(const RunSettings&) const = default;
};

}  // namespace glassformer
