#pragma once

#include <concepts>
#include <string>

#include "layers/dropout.hpp"
#include "layers/layer_norm.hpp"

namespace glassformer {

/// Where layer normalisation stands: after the residual sum, or before the sublayer.
enum class Norm { post, pre };

struct AddAndNormSettings {
  Norm norm = Norm::post;
  Index width = 0;     ///< D
  double dropout = 0;  ///< of what the sublayer adds
};

/// How a sublayer is joined to the residual stream x:
///
///   post   y = LayerNorm(x + dropout(sublayer(x)))        as in Vaswani et al. 2017; needs warm-up
///   pre    y = x + dropout(sublayer(LayerNorm(x)))        as in Xiong et al. 2020; the stream itself is never
///                                                         normalised, so the stack ends with a LayerNorm of its own
///
/// Forward: enter, sublayer, leave. Backward: leave_backward, sublayer, enter_backward. N = rows (tokens), D = width.
template <std::floating_point Scalar>
class ResidualJoin {
 public:
  LayerNorm<Scalar> layer_norm;

  ResidualJoin(const Part<Scalar>& part, const AddAndNormSettings& settings);

  /// Maps x [N, D] to what the sublayer reads: x itself (post) or LayerNorm(x) (pre). [N, D]
  const Buffer<Scalar>& enter(const Pass& pass, const Buffer<Scalar>& x);
  /// Maps x and sublayer(...) [N, D] to y [N, D].
  const Buffer<Scalar>& leave(const Pass& pass, const Buffer<Scalar>& x, const Buffer<Scalar>& sublayer_output);

  /// Maps d_y [N, D] to the gradient of sublayer_output. Keeps that of the residual path for enter_backward.
  const Buffer<Scalar>& leave_backward(const Pass& pass, const Buffer<Scalar>& d_y);
  /// Maps d_entered, the gradient of enter's result (it may be overwritten), to d_x [N, D], the sum over both paths.
  const Buffer<Scalar>& enter_backward(const Pass& pass, Buffer<Scalar>& d_entered);

 private:
  Norm norm_;
  std::string name_;
  Dropout<Scalar> dropout_;
  Buffer<Scalar> sum_;                     // [N, D] x + dropout(sublayer output)
  Buffer<Scalar> d_sublayer_;              // [N, D]
  const Buffer<Scalar>* d_sum_ = nullptr;  // leave_backward's
};

/// "Add & Norm", the box around each sublayer in the paper's figure: a sublayer and its residual join.
template <class Sublayer, std::floating_point Scalar>
class AddAndNorm {
 public:
  Sublayer sublayer;
  ResidualJoin<Scalar> join;

  /// The parameters of the sublayer come before those of the join.
  AddAndNorm(const Part<Scalar>& sublayer_part, const auto& sublayer_settings, const Part<Scalar>& join_part,
             const AddAndNormSettings& settings)
      : sublayer(sublayer_part, sublayer_settings), join(join_part, settings) {}

  /// Maps x [N, D], and whatever else the sublayer reads, to y [N, D].
  const Buffer<Scalar>& forward(const Pass& pass, const Buffer<Scalar>& x, const auto&... others) {
    const Buffer<Scalar>& entered = join.enter(pass, x);                        // [N, D]
    const Buffer<Scalar>& output = sublayer.forward(pass, entered, others...);  // [N, D]
    return join.leave(pass, x, output);
  }
  /// Maps d_y [N, D] to d_x [N, D].
  const Buffer<Scalar>& backward(const Pass& pass, const Buffer<Scalar>& d_y) {
    const Buffer<Scalar>& d_output = join.leave_backward(pass, d_y);  // [N, D]
    Buffer<Scalar>& d_entered = sublayer.backward(pass, d_output);    // [N, D]
    return join.enter_backward(pass, d_entered);
  }
};

}  // namespace glassformer
