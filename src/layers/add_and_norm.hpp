#pragma once

#include <concepts>
#include <string>

#include "glassformer/layers/dropout.hpp"
#include "glassformer/layers/memory_gradients.hpp"
#include "glassformer/layers/norm_layer.hpp"

namespace glassformer {

/// The residual connection, which adds a sublayer's output to the residual stream x:
///
///   post   y = LayerNorm(x + dropout(sublayer(x)))        as in Vaswani et al. 2017; needs warm-up
///   pre    y = x + dropout(sublayer(LayerNorm(x)))        as in Xiong et al. 2020; the stream itself is never
///                                                         normalised, so the stack ends with an extra LayerNorm
///
/// Without the residual sum, nothing is left of x but what the sublayer lets through.
///
/// Forward: enter, sublayer, leave_in_place. Backward: leave_backward, sublayer, enter_backward_in_place.
/// N = rows (tokens), D = width.
template <std::floating_point Scalar>
class ResidualConnection {
 public:
  NormLayer<Scalar> layer_norm;

  ResidualConnection(const Part<Scalar>& part, const AddAndNormSettings& settings);

  /// Maps x [N, D] to the sublayer's input [N, D]: x itself (post) or LayerNorm(x) (pre).
  const Buffer<Scalar>& enter(const Pass& pass, const Buffer<Scalar>& x);
  /// Maps x and the sublayer's output, both [N, D], to y [N, D]. Turns sublayer_output into the sum, which is y if the
  /// norm is pre.
  const Buffer<Scalar>& leave_in_place(const Pass& pass, const Buffer<Scalar>& x, Buffer<Scalar>& sublayer_output);

  /// Maps d_y [N, D] to the gradient of sublayer_output. Keeps the residual path's gradient for
  /// enter_backward_in_place, so d_y must stay unchanged until then.
  const Buffer<Scalar>& leave_backward(const Pass& pass, const Buffer<Scalar>& d_y);
  /// Maps d_entered, the gradient of enter's result, to d_x [N, D], the sum over both paths. Turns d_entered into d_x
  /// if the norm is post.
  Buffer<Scalar>& enter_backward_in_place(const Pass& pass, Buffer<Scalar>& d_entered);

 private:
  Norm norm_;
  bool residual_;
  std::string name_;
  Dropout<Scalar> dropout_;
  const Buffer<Scalar>* d_sum_ = nullptr;  // from leave_backward
};

/// "Add & Norm", the box around each sublayer in the paper's figure: a sublayer and its residual connection.
template <class Sublayer, std::floating_point Scalar>
class AddAndNorm {
 public:
  Sublayer sublayer;
  ResidualConnection<Scalar> residual;

  /// The sublayer's parameters come before those of the residual connection.
  AddAndNorm(const Part<Scalar>& sublayer_part, const auto& sublayer_settings, const Part<Scalar>& residual_part,
             const AddAndNormSettings& settings)
      : sublayer(sublayer_part, sublayer_settings), residual(residual_part, settings) {}

  /// Maps x [N, D], and any other inputs of the sublayer, to y [N, D].
  const Buffer<Scalar>& forward(const Pass& pass, const Buffer<Scalar>& x, const auto&... others) {
    const Buffer<Scalar>& entered = residual.enter(pass, x);              // [N, D]
    Buffer<Scalar>& output = sublayer.forward(pass, entered, others...);  // [N, D]
    return residual.leave_in_place(pass, x, output);
  }
  /// One step of a search, for sublayers that have one: maps x [R, D] to y [R, D], R = running hypotheses.
  const Buffer<Scalar>& step(const Pass& pass, const Buffer<Scalar>& x, auto&... others) {
    const Buffer<Scalar>& entered = residual.enter(pass, x);           // [R, D]
    Buffer<Scalar>& output = sublayer.step(pass, entered, others...);  // [R, D]
    return residual.leave_in_place(pass, x, output);
  }
  /// Maps d_y [N, D] to d_x [N, D].
  Buffer<Scalar>& backward(const Pass& pass, const Buffer<Scalar>& d_y) {
    const Buffer<Scalar>& d_output = residual.leave_backward(pass, d_y);  // [N, D]
    Buffer<Scalar>& d_entered = sublayer.backward(pass, d_output);        // [N, D]
    return residual.enter_backward_in_place(pass, d_entered);
  }
  /// The same for a sublayer that also reads the memory: maps d_y [N, D] to d_x [N, D] and d_memory [M, D].
  MemoryGradients<Scalar> backward_with_memory(const Pass& pass, const Buffer<Scalar>& d_y) {
    const Buffer<Scalar>& d_output = residual.leave_backward(pass, d_y);   // [N, D]
    const auto [d_entered, d_memory] = sublayer.backward(pass, d_output);  // [N, D] and [M, D]
    return {residual.enter_backward_in_place(pass, d_entered), d_memory};
  }
};

}  // namespace glassformer
