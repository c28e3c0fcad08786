#pragma once

#include <concepts>
#include <string>

#include "glassformer/layers/part.hpp"
#include "glassformer/layers/pass.hpp"

namespace glassformer {

/// Layer normalisation (Ba, Kiros & Hinton 2016), for each token separately:
///
///   x_hat = (x - mean(x)) / sqrt(var(x) + epsilon)        y = gain * x_hat + bias
///
/// var divides by D, not by D - 1. N = rows (tokens), D = model width.
template <std::floating_point Scalar>
class LayerNorm {
 public:
  static constexpr Scalar kEpsilon = Scalar(1e-5);  // as in torch.nn.LayerNorm

  const VectorParameter<Scalar> gain;  // [D]
  const VectorParameter<Scalar> bias;  // [D]

  LayerNorm(const Part<Scalar>& part, Index width);

  /// Maps x [N, D] to y [N, D].
  const Buffer<Scalar>& forward(const Pass& pass, const Buffer<Scalar>& x);
  /// Maps d_y [N, D] to d_x [N, D].
  Buffer<Scalar>& backward(const Pass& pass, const Buffer<Scalar>& d_y);

 private:
  std::string name_;
  Buffer<Scalar> x_hat_;    // [N, D]
  Buffer<Scalar> inv_std_;  // [N, 1] 1 / sqrt(var + epsilon)
  Buffer<Scalar> d_xhat_;   // [1, D] of the current row
  Buffer<Scalar> y_, d_x_;  // [N, D]
};

}  // namespace glassformer
