#pragma once

#include <limits>

#include "glassformer/batching/batch.hpp"
#include "glassformer/numerics/index.hpp"

/// The metrics of a training run. A metric that was not computed is NaN.
namespace glassformer {

/// Means over the updates since the last log line. Skipped updates count only in the speed.
struct TrainingMetrics {
  Index update = 0;
  Index epoch = 1;           ///< from 1
  double loss = 0;           ///< the objective (label smoothing included) per target token
  double perplexity = 0;     ///< exp of the plain cross-entropy per target token
  double gradient_norm = 0;  ///< before clipping
  double learning_rate = 0;
  Index skipped = 0;  ///< updates since the run started whose loss or gradient was not finite
  double source_tokens_per_second = 0;
  double target_tokens_per_second = 0;
  double padding_share = 0;  ///< padded positions / all positions, 0 to 1
  double minutes = 0;        ///< since the run started, without interruptions
  double minutes_left = -1;  ///< negative: unknown

  bool operator==(const TrainingMetrics&) const = default;
};

/// The metrics of one pass over the validation text.
struct ValidationMetrics {
  Index update = 0;
  Index epoch = 1;
  double loss = 0;  ///< plain cross-entropy per target token
  double perplexity = 0;
  double token_accuracy = 0;                                      ///< 0 to 1, teacher-forced
  double bleu = std::numeric_limits<double>::quiet_NaN();         ///< 0 to 100, of greedy translations
  double exact_match = std::numeric_limits<double>::quiet_NaN();  ///< 0 to 1, of greedy translations
  double minutes = 0;                                             ///< since the run started
  bool best = false;                                              ///< better than every validation before it

  bool operator==(const ValidationMetrics&) const = default;
};

/// The share of the cells that is padding, 0 to 1.
double padding_share(const TokenCount& tokens);

}  // namespace glassformer
