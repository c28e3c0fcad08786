#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evaluation/evaluation.hpp"
#include "training/settings.hpp"

/// Before a training begins, what will need most memory is done once. So memory that does not suffice shows in the
/// first seconds and not in the tenth hour, and the log can say how much will be needed.
namespace glassformer {

/// Of these batches those with the most padded tokens, the longest source and the longest target, and a few others: a
/// matrix keeps the largest size that it ever had, and no batch is the largest in every one.
/// \pre there is a batch
std::vector<std::vector<Index>> rehearsed_batches(const Corpus& corpus,
                                                  std::span<const std::vector<Index>> batches);

/// The pairs with the longest sources, some batches of `batch` for each thread.
TestText rehearsed_pairs(const TestText& text, const TokenizerPair& tokenizers, Index batch);

/// What a training needs at its peak, in bytes.
struct MemoryForecast {
  std::int64_t peak = 0;       ///< 0: the system does not say
  std::int64_t weights = 0;
  std::int64_t gradients = 0;  ///< of all shards
  std::int64_t moments = 0;    ///< of the optimizer
  std::int64_t text = 0;       ///< the tokens of the training text, or of the part at hand

  /// One line. The rest of the peak goes by the names of what most of it is for.
  std::string text_for_log() const;
};

/// After the rehearsal: from what it has needed, and from what is known to come.
/// \param shards  of this process, each with a gradient
/// \param text    bytes
MemoryForecast memory_forecast(const TrainingSettings& training, Index parameters, Index shards, std::int64_t text);

}  // namespace glassformer
