#pragma once

#include <concepts>

#include "layers/dropout.hpp"
#include "layers/layer_norm.hpp"

namespace glassformer {

/// Where layer normalisation stands: after the residual sum, or before the sublayer.
enum class Norm { post, pre };

/// "Add & Norm": how a sublayer (attention, feed-forward) is joined to the residual stream x.
///
///   post   y = LayerNorm(x + dropout(sublayer(x)))        as in Vaswani et al. 2017; needs warm-up
///   pre    y = x + dropout(sublayer(LayerNorm(x)))        as in Xiong et al. 2020; the stream itself is never
///                                                         normalised, so the stack ends with a LayerNorm of its own
///
/// A layer's forward goes enter, sublayer, leave; its backward goes back: leave_backward, sublayer's backward,
/// enter_backward. N = rows (tokens), D = model width.
template <std::floating_point Scalar>
struct AddAndNorm {
  using Parameters = typename LayerNorm<Scalar>::Parameters;
  /// What backward must remember of forward, and room for its results.
  struct Cache {
    typename LayerNorm<Scalar>::Cache norm;
    typename Dropout<Scalar>::Cache dropout;
    Buffer<Scalar> normed;           // [N, D] pre: what the sublayer reads
    Buffer<Scalar> sum;              // [N, D] post: x + dropout(sublayer(x))
    Buffer<Scalar> output;           // [N, D]
    Buffer<Scalar> d_sum;            // [N, D] gradient of the sum, which x gets as it is
    Buffer<Scalar> d_sublayer;       // [N, D] gradient of what the sublayer gave
    Buffer<Scalar> d_input;          // [N, D] gradient of x
  };

  /// Gives what the sublayer shall read: x itself (post) or LayerNorm(x) (pre). [N, D]
  static const Buffer<Scalar>& enter(Norm norm, const Parameters& p, const Buffer<Scalar>& x, Cache& cache,
                                     const Recorder& recorder = {});
  /// What enter gave, for the way back.
  static const Buffer<Scalar>& entered(Norm norm, const Buffer<Scalar>& x, const Cache& cache) {
    return norm == Norm::post ? x : cache.normed;
  }
  /// x and sublayer(...) give cache.output. `dropout`: rate, drawn at `site`.
  static void leave(Norm norm, const Parameters& p, const Buffer<Scalar>& x, const Buffer<Scalar>& sublayer_output,
                    double dropout, const Pass& pass, Site site, Cache& cache, const Recorder& recorder = {});

  /// d_y gives cache.d_sublayer, and cache.d_sum for enter_backward.
  static void leave_backward(Norm norm, const Parameters& p, Cache& cache, const Buffer<Scalar>& d_y,
                             Parameters& grad, const Recorder& recorder = {});
  /// The gradient of what the sublayer read gives cache.d_input.
  static void enter_backward(Norm norm, const Parameters& p, Cache& cache, const Buffer<Scalar>& d_sublayer_input,
                             Parameters& grad, const Recorder& recorder = {});
};

}  // namespace glassformer
