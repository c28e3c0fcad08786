#pragma once

#include <array>

#include "glassformer/numerics/matrix.hpp"
#include "glassformer/schema/setting.hpp"

namespace glassformer {

/// What a validation measures.
enum class Metric { loss, perplexity, token_accuracy, bleu, exact_match };
/// In the order of the enum.
inline constexpr std::array kMetricNames = {"loss", "perplexity", "token_accuracy", "bleu", "exact_match"};

/// When to validate, and how to use the result.
struct ValidationSettings {
  enum class Unit { updates, epochs };
  static constexpr std::array kUnitNames = {"updates", "epochs"};  ///< in the order of the enum
  Index every = 500;  ///< units between validations; each validation writes a checkpoint
  Unit unit = Unit::updates;
  Metric metric = Metric::loss;  ///< the metric that decides which checkpoint is best, also for patience
  Index patience = 0;            ///< stop after this many validations without a new best; 0: never
  bool translate = true;         ///< whether a validation also translates; if not, it measures only loss and accuracy
  Index samples = 2;             ///< sample translations in the log

  bool operator==(const ValidationSettings&) const = default;
};

/// Lists the fields: see schema/setting.hpp.
void for_each_setting(ValidationSettings& validation, const auto& visit) {
  visit("every", "updates or epochs between validations; each writes a checkpoint", validation.every, 1, kMany);
  visit("unit", choices(ValidationSettings::kUnitNames) + ": what `every` counts", validation.unit,
        ValidationSettings::kUnitNames);
  visit("metric", choices(kMetricNames) + ": picks the best", validation.metric, kMetricNames);
  visit("patience", "stop after this many validations without a new best; 0: never", validation.patience, 0, kMany);
  visit("translate", "true: translate, too, for BLEU, exact match and samples; false: faster", validation.translate);
  visit("samples", "sample translations in the log at each validation", validation.samples, 0, kMany);
}

/// Which checkpoints are kept.
struct CheckpointSettings {
  Index keep = 3;     ///< how many of the latest stay on disk (best and last always do)
  Index average = 0;  ///< at the end, also save the mean of the last `average` checkpoints; 0: none

  bool operator==(const CheckpointSettings&) const = default;
};

/// Lists the fields: see schema/setting.hpp.
void for_each_setting(CheckpointSettings& checkpoints, const auto& visit) {
  visit("keep", "how many recent checkpoints to keep; best and last are always kept", checkpoints.keep, 1, kMany);
  visit("average", "at the end, also save the mean of the last N checkpoints; 0: none", checkpoints.average, 0, kMany);
}

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

/// The limit of a run in minutes.
inline constexpr Range kMinutes{kNotNegative.words, kNotNegative.holds, false};

/// Lists the fields, except for validation and checkpoints, which have their own sections.
void for_each_setting(RunSettings& run, const auto& visit) {
  visit("max_epochs", "stop after this many passes over the text; 0: no limit", run.max_epochs, 0, kMany);
  visit("max_minutes", "stop after this many minutes; 0: no limit (set at least one limit)", run.max_minutes, kMinutes);
  visit("max_skipped", "skipped updates allowed in a row (loss or gradient not finite)", run.max_skipped, 0, kMany);
  visit("log_every", "updates between log lines", run.log_every, 1, kMany);
}

}  // namespace glassformer
