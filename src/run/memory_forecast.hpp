#pragma once

#include <cstdint>
#include <string>

#include "config/config.hpp"
#include "machine/machine.hpp"
#include "numerics/ranks.hpp"
#include "text/corpus.hpp"

namespace glassformer {

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

  MemoryLeft left;  ///< for this process

  std::int64_t certain() const { return weights + gradients + moments; }
  std::int64_t coming() const { return certain() + activations + order + validation; }
  /// One line.
  std::string text_for_log() const;
  /// \throws UserError: what is certainly needed is more than what is left
  void refuse_certain_excess() const;
  /// Empty unless the forecast is more than what is available.
  std::string warning() const;
};

/// What this process will use, one of `ranks`, all of which must call this. Call it before the model is allocated.
MemoryForecast forecast_memory(const Config& config, const VocabularyShape& vocabulary, const Corpus& text,
                               const Corpus& valid, const Ranks& ranks);

}  // namespace glassformer
