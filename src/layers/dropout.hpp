#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "layers/part.hpp"
#include "layers/pass.hpp"

namespace glassformer {

/// Inverted dropout (Srivastava et al. 2014): in training, each number is set to 0 with probability `rate` and divided
/// by 1 - rate otherwise, so that its expectation stays the same:
///
///   y = x * kept / (1 - rate)        kept = 0 or 1
///
/// (16-bit random numbers decide, so the true probability is the multiple of 2^-16 nearest to `rate`. The factor is
/// still 1 / (1 - rate).) Outside training, y = x. N = rows, D = columns.
template <std::floating_point Scalar>
class Dropout {
 public:
  /// A sentence's rows form `groups` equal parts: one per head for attention weights, just one for token matrices.
  Dropout(const Part<Scalar>& part, double rate, Index groups = 1);

  /// Whether this pass drops numbers.
  bool is_active(const Pass& pass) const { return pass.training && rate_ > 0; }
  /// Maps x [N, D] to y [N, D], which may be x itself.
  void forward(const Pass& pass, MatrixView<const Scalar> x, MatrixView<Scalar> y);
  /// Maps d_y [N, D] to d_x [N, D], which may be d_y itself.
  void backward(const Pass& pass, MatrixView<const Scalar> d_y, MatrixView<Scalar> d_x);

 private:
  void draw(const Pass& pass, Index rows, Index cols);

  std::string name_;
  double rate_;
  Index groups_;
  Site site_;
  Buffer<std::uint8_t> kept_;  // [N, D]
};

}  // namespace glassformer
