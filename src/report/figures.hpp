#pragma once

#include <limits>
#include <string>

#include "numerics/matrix.hpp"

/// The figures of a training run: what the progress line, train.log, metrics.jsonl and the picture of the
/// curves all show. A figure that was not computed is NaN.
namespace glassformer {

/// Between two lines of the log: sums over the updates since the last line, divided once.
struct TrainingFigures {
  Index update = 0;
  Index epoch = 1;           ///< the current one, counted from 1
  double loss = 0;           ///< the objective (label smoothing included) per target token
  double perplexity = 0;     ///< exp of the plain cross-entropy per target token
  double gradient_norm = 0;  ///< before clipping
  double learning_rate = 0;
  Index skipped = 0;         ///< updates since the run began whose loss or gradient was no finite number
  double source_tokens_per_second = 0;
  double target_tokens_per_second = 0;
  double padding_share = 0;  ///< padded positions / all positions, 0 to 1
  double minutes = 0;        ///< since the run began, interruptions left out
  double minutes_left = -1;  ///< below 0: unknown

  bool operator==(const TrainingFigures&) const = default;
};

/// Of one pass over the validation text.
struct ValidationFigures {
  Index update = 0;
  Index epoch = 1;
  double loss = 0;  ///< plain cross-entropy per target token
  double perplexity = 0;
  double token_accuracy = 0;                                      ///< 0 to 1, teacher-forced
  double bleu = std::numeric_limits<double>::quiet_NaN();         ///< 0 to 100, of greedy translations
  double exact_match = std::numeric_limits<double>::quiet_NaN();  ///< 0 to 1, of greedy translations
  double minutes = 0;                                             ///< since the run began
  bool best = false;                                              ///< better than every validation before it

  bool operator==(const ValidationFigures&) const = default;
};

/// One sentence of the validation text and what the model makes of it.
struct SampleTranslation {
  std::string source, reference, translation;
};

/// Where a run ends, as far as it is known. 0: no limit.
struct RunLength {
  Index updates = 0, epochs = 0;
};

}  // namespace glassformer
