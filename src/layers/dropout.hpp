#pragma once

#include <concepts>
#include <cstdint>

#include "layers/pass.hpp"
#include "layers/recorder.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// Inverted dropout (Srivastava et al. 2014): in training, each number is set to 0 with probability `rate` and
/// divided by 1 - rate otherwise, so that its expectation stays:
///
///   y = x * kept / (1 - rate)        kept = 0 or 1
///
/// Outside of training y = x. N = rows, D = columns.
template <std::floating_point Scalar>
struct Dropout {
  /// What backward must remember of forward.
  struct Cache {
    bool active = false;
    Scalar scale = 1;           // 1 / (1 - rate)
    Buffer<std::uint8_t> kept;  // [N, D]
  };
  /// The rows of x, and of y of the same shape, are those of B sentences, each with `groups` equal parts (attention has
  /// one per head, token matrices have one in all).
  static void forward(double rate, const Pass& pass, Site site, Index groups, ConstMatrixRef<Scalar> x,
                      MatrixRef<Scalar> y, Cache& cache, const Recorder& recorder = {});
  /// d_y gives d_x of the same shape: the numbers that were kept, times the same factor.
  static void backward(const Cache& cache, ConstMatrixRef<Scalar> d_y, MatrixRef<Scalar> d_x,
                       const Recorder& recorder = {});

  /// In place: x becomes y, d_y becomes d_x.
  static void forward(double rate, const Pass& pass, Site site, Index groups, MatrixRef<Scalar> x, Cache& cache,
                      const Recorder& recorder = {}) {
    forward(rate, pass, site, groups, x, x, cache, recorder);
  }
  static void backward(const Cache& cache, MatrixRef<Scalar> d_y, const Recorder& recorder = {}) {
    backward(cache, d_y, d_y, recorder);
  }
};

}  // namespace glassformer
