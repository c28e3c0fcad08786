#pragma once

#include <concepts>

#include "glassformer/layers/part.hpp"
#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// Root mean square normalisation (RMSNorm, Zhang & Sennrich 2019), for each token separately:
///
///   x_hat = x / sqrt(mean(x^2) + epsilon)        y = gain * x_hat
///
/// Unlike layer normalisation, it subtracts no mean and has no bias. N = rows (tokens), D = width.
template <std::floating_point Scalar>
class RmsNorm {
 public:
  static constexpr Scalar kEpsilon = Scalar(1e-5);

  const VectorParameter<Scalar> gain;  // [D]

  RmsNorm(const Part<Scalar>& part, Index width);

  /// Maps x [N, D] to y [N, D].
  const Buffer<Scalar>& forward(const Buffer<Scalar>& x);
  /// Maps d_y [N, D] to d_x [N, D]. Adds to the gradient of the gain.
  const Buffer<Scalar>& backward(const Buffer<Scalar>& d_y);

 private:
  Buffer<Scalar> x_hat_;    // [N, D]
  Buffer<Scalar> inv_rms_;  // [N, 1] 1 / sqrt(mean(x^2) + epsilon)
  Buffer<Scalar> d_xhat_;   // [1, D] of the current row
  Buffer<Scalar> y_, d_x_;  // [N, D]
};

}  // namespace glassformer
