#pragma once

#include <cstdint>
#include <string>

#include "glassformer/machine/memory.hpp"
#include "glassformer/machine/processes.hpp"
#include "glassformer/run/training_plan.hpp"
#include "glassformer/text/corpus.hpp"

/// Calculates how much memory training needs.
namespace glassformer {

/// The size of a padded batch.
struct BatchShape {
  Index source = 0, target = 0;                  ///< tokens, padding included: B * S and B * T
  Index longest_source = 0, longest_target = 0;  ///< S and T
};

/// Roughly how many numbers the layers keep while they compute this batch; a test compares it with their buffers.
/// `training`: with backward and dropout.
Index activation_count(const TransformerSettings& settings, const VocabularyShape& vocabulary, const BatchShape& batch,
                       bool training);

/// The memory that a run is expected to need at its peak, in bytes.
struct MemoryForecast {
  std::int64_t program = 0;  ///< in use before training starts, and code that it will still load
  std::int64_t text = 0;     ///< of that, the training text
  std::int64_t weights = 0;
  std::int64_t gradients = 0;    ///< one for each shard of this process
  std::int64_t moments = 0;      ///< of the optimizer
  std::int64_t activations = 0;  ///< of all threads
  std::int64_t order = 0;        ///< the order of an epoch's sentences
  std::int64_t validation = 0;   ///< or averaging checkpoints, if that needs more
  MemoryLeft left;               ///< what this process can still get

  std::int64_t certain() const { return weights + gradients + moments; }
  std::int64_t coming() const { return certain() + activations + order + validation; }
  std::string text_for_log() const;  ///< one line
  /// \throws UserError: certain() is more than what is left
  void throw_if_over_limit() const;
  std::string warning() const;  ///< empty unless more is forecast than is available
};

/// What this process will need. Each of the `ranks` must call it, before the model is allocated.
/// \throws UserError as throw_if_over_limit does
MemoryForecast forecast_memory(const TrainingPlan& plan, const VocabularyShape& vocabulary, const Corpus& text,
                               const Corpus& valid, const Processes& ranks);

}  // namespace glassformer
