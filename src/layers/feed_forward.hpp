#pragma once

#include <concepts>

#include "glassformer/layers/activation.hpp"
#include "glassformer/layers/dropout.hpp"
#include "glassformer/layers/linear.hpp"

namespace glassformer {

struct FeedForwardSettings {
  Index width = 0;        ///< D
  Index inner_width = 0;  ///< F
  Activation activation = Activation::relu;
  double dropout = 0;  ///< rate, for the activation's output
};

/// The position-wise feed-forward network (Vaswani et al. 2017, section 3.3), applied to every token in the same way:
///
///   y = dropout(activation(x W1^T + b1)) W2^T + b2
///
/// N = rows (tokens), D = model width, F = feed-forward width.
template <std::floating_point Scalar>
class FeedForward {
 public:
  Linear<Scalar> expand;    // W1 and b1, D to F
  Linear<Scalar> contract;  // W2 and b2, F to D

  FeedForward(const Part<Scalar>& part, const FeedForwardSettings& settings);

  /// Maps x [N, D] to y [N, D].
  Buffer<Scalar>& forward(const Pass& pass, const Buffer<Scalar>& x);
  Buffer<Scalar>& forward(const Pass& pass, Buffer<Scalar>&& x) = delete;  // backward reads x
  /// Maps d_y [N, D] to d_x [N, D].
  Buffer<Scalar>& backward(const Pass& pass, const Buffer<Scalar>& d_y);

 private:
  ActivationLayer<Scalar> activation_;
  Dropout<Scalar> dropout_;
};

}  // namespace glassformer
