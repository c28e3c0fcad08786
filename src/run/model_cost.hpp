#pragma once

#include <cstdint>
#include <string>

#include "machine/machine.hpp"
#include "numerics/ranks.hpp"
#include "run/settings.hpp"
#include "text/corpus.hpp"

/// How much memory and how many operations a training needs, by arithmetic.
namespace glassformer {

/// The size of a padded batch.
struct BatchShape {
  Index source = 0, target = 0;                  ///< tokens, padding included: B * S and B * T
  Index longest_source = 0, longest_target = 0;  ///< S and T
};

/// About how many numbers the layers keep while they compute such a batch. `training`: backward and dropout included.
Index activation_count(const TransformerSettings& settings, const VocabularyShape& vocabulary, const BatchShape& batch,
                       bool training);

/// How many floating-point operations the matrix products of training need for a pair of s source and t target tokens
/// (eos or bos counted, padding not):
///
///   6 (s E + t U)  +  12 D (L_enc s^2 + L_dec (t (t + 1) / 2 + t s))
///
/// The first part is 6 for each weight that a token passes: a multiplication and an addition forward, two of each
/// backward (one for the gradient of the weight, one for that of the input). A source token passes
/// E = L_enc (4 D^2 + 2 D F) + L_dec 2 D^2 weights, the last for keys and values of cross-attention; a target token
/// U = L_dec (6 D^2 + 2 D F) + D V. The second part is the two products of attention, scores and context: 2 D each for
/// every query and key that it may see, forward and twice that backward. Nothing else is counted.
double training_flops(const TransformerSettings& settings, const VocabularyShape& vocabulary, Index source_tokens,
                      Index target_tokens);

/// What a training needs at its peak, in bytes, by arithmetic.
struct MemoryForecast {
  std::int64_t program = 0;  ///< in use before the training begins
  std::int64_t text = 0;     ///< of that, the training text
  std::int64_t weights = 0;
  std::int64_t gradients = 0;    ///< one for each shard of this process
  std::int64_t moments = 0;      ///< of the optimizer
  std::int64_t activations = 0;  ///< of all threads
  std::int64_t order = 0;        ///< of the sentences in an epoch
  std::int64_t validation = 0;   ///< or averaging checkpoints, if that needs more
  MemoryLeft left;               ///< for this process

  std::int64_t certain() const { return weights + gradients + moments; }
  std::int64_t coming() const { return certain() + activations + order + validation; }
  std::string text_for_log() const;  ///< one line
  /// \throws UserError: what is certainly needed is more than what is left
  void refuse_certain_excess() const;
  std::string warning() const;  ///< empty unless the forecast is more than what is available
};

/// What this process will use, one of `ranks`, all of which must call this. Call it before the model is allocated.
/// \throws UserError as refuse_certain_excess
MemoryForecast forecast_memory(const TrainingPlan& plan, const VocabularyShape& vocabulary, const Corpus& text,
                               const Corpus& valid, const Ranks& ranks);

}  // namespace glassformer
