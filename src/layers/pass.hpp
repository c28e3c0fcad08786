#pragma once

#include <cstdint>
#include <span>

#include "numerics/matrix.hpp"

namespace glassformer {

/// What a forward pass is told besides parameters and inputs. In training, dropout draws its random numbers from
/// (seed, update, site, sentence), so that a sentence is treated alike in whichever batch or shard it comes.
struct Pass {
  bool training = false;             ///< false: no dropout
  std::uint64_t seed = 0;            ///< of the run
  std::uint32_t update = 0;          ///< number of the training step
  std::span<const Index> sentences;  ///< [B] number of each sentence in the corpus; needed in training only
};

/// A place in the model that draws random numbers. Each has a number of its own.
using Site = std::uint32_t;

}  // namespace glassformer
