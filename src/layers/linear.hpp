#pragma once

#include <concepts>
#include <string>

#include "glassformer/layers/part.hpp"
#include "glassformer/layers/pass.hpp"

namespace glassformer {

/// A linear map, applied to each of N rows:
///
///   y = x W^T + b        W [out, in], as torch.nn.Linear stores it
template <std::floating_point Scalar>
class Linear {
 public:
  const MatrixParameter<Scalar> weight;  // [out, in]
  const VectorParameter<Scalar> bias;    // [out]

  Linear(const Part<Scalar>& part, Index in, Index out);
  /// Uses parameters that another layer may share.
  Linear(std::string name, MatrixParameter<Scalar> shared_weight, VectorParameter<Scalar> shared_bias);

  const std::string& name() const { return name_; }

  /// Maps x [N, in] to y [N, out]. Backward does not read y, so the caller may change it.
  Buffer<Scalar>& forward(const Pass& pass, const Buffer<Scalar>& x);
  Buffer<Scalar>& forward(const Pass& pass, Buffer<Scalar>&& x) = delete;  // backward reads x
  /// Maps d_y [N, out] to d_x [N, in].
  Buffer<Scalar>& backward(const Pass& pass, const Buffer<Scalar>& d_y);

 private:
  std::string name_;
  const Buffer<Scalar>* x_ = nullptr;  // forward's input
  Buffer<Scalar> y_, d_x_;             // [N, out] and [N, in]
};

}  // namespace glassformer
