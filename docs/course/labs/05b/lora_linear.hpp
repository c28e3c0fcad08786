#pragma once

#include <concepts>

#include "glassformer/layers/part.hpp"
#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// A linear map with low-rank adaptation (LoRA, Hu et al. 2021). Its weights stay as they were trained, and two narrow
/// matrices learn what to add to them:
///
///   y = x W^T + scale (x A^T) B^T        scale = alpha / rank
///
/// W [out, in] is frozen: it gets no gradient. A [R, in] and B [out, R] are trained, R = rank. N = rows (tokens).
template <std::floating_point Scalar>
class LoraLinear {
 public:
  const MatrixParameter<Scalar> weight;  // W [out, in], frozen
  const MatrixParameter<Scalar> a;       // A [R, in]
  const MatrixParameter<Scalar> b;       // B [out, R]

  LoraLinear(const Part<Scalar>& part, Index in, Index out, Index rank, double alpha);

  /// Maps x [N, in] to y [N, out].
  const Buffer<Scalar>& forward(const Buffer<Scalar>& x);
  /// Maps d_y [N, out] to d_x [N, in]. Adds to the gradients of A and B.
  const Buffer<Scalar>& backward(const Buffer<Scalar>& d_y);

 private:
  Scalar scale_;
  const Buffer<Scalar>* x_ = nullptr;  // forward's input
  Buffer<Scalar> low_, d_low_;         // [N, R] the narrow product, and its gradient
  Buffer<Scalar> y_, d_x_;             // [N, out] and [N, in]
};

}  // namespace glassformer
