#pragma once

#include <concepts>

#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// What backward returns if forward read two matrices: x and the encoder's output ("memory").
template <std::floating_point Scalar>
struct MemoryGradients {
  Buffer<Scalar>& d_x;             ///< [N, D]
  const Buffer<Scalar>& d_memory;  ///< [M, D]
};

}  // namespace glassformer
