#pragma once

#include <concepts>

#include "glassformer/layers/add_and_norm.hpp"
#include "glassformer/layers/attention.hpp"
#include "glassformer/layers/feed_forward.hpp"
#include "glassformer/model/settings.hpp"

namespace glassformer {

/// One layer of the encoder (Vaswani et al. 2017, figure 1, left):
///
///   h = add & norm(x, self-attention)          every source token attends to all source tokens except padding
///   y = add & norm(h, feed-forward)
///
/// N = B * S rows, D = model width.
template <std::floating_point Scalar>
class EncoderLayer {
 public:
  AddAndNorm<SelfAttention<Scalar>, Scalar> self_attention;
  AddAndNorm<FeedForward<Scalar>, Scalar> feed_forward;

  EncoderLayer(const Part<Scalar>& part, const TransformerSettings& settings)
      : self_attention(part.at("self_attn"), settings.attention(), part.at("self_attn_layer_norm"),
                       settings.add_and_norm()),
        feed_forward(part.sharing_prefix("feed_forward"), settings.feed_forward(), part.at("final_layer_norm"),
                     settings.add_and_norm()) {}

  /// Maps x [N, D] to y [N, D]. The mask `padding` blocks keys that are padding.
  const Buffer<Scalar>& forward(const Pass& pass, const Buffer<Scalar>& x, const Mask& padding) {
    return feed_forward.forward(pass, self_attention.forward(pass, x, padding));
  }
  /// Maps d_y [N, D] to d_x [N, D].
  const Buffer<Scalar>& backward(const Pass& pass, const Buffer<Scalar>& d_y) {
    return self_attention.backward(pass, feed_forward.backward(pass, d_y));
  }
};

}  // namespace glassformer
