#pragma once

#include <concepts>
#include <span>

#include "glassformer/layers/add_and_norm.hpp"
#include "glassformer/layers/attention.hpp"
#include "glassformer/layers/feed_forward.hpp"
#include "glassformer/model/settings.hpp"

namespace glassformer {

/// One layer of the decoder (Vaswani et al. 2017, figure 1, right):
///
///   h = add & norm(x, self-attention)              every target token attends to itself and to earlier ones
///   g = add & norm(h, cross-attention to memory)   and then to all source tokens except padding
///   y = add & norm(g, feed-forward)
///
/// N = B * T rows of the decoder, M = B * S rows of the encoder ("memory"), D = model width.
template <std::floating_point Scalar>
class DecoderLayer {
 public:
  AddAndNorm<SelfAttention<Scalar>, Scalar> self_attention;
  AddAndNorm<CrossAttention<Scalar>, Scalar> cross_attention;
  AddAndNorm<FeedForward<Scalar>, Scalar> feed_forward;

  DecoderLayer(const Part<Scalar>& part, const TransformerSettings& settings)
      : self_attention(part.at("self_attn"), settings.attention(), part.at("self_attn_layer_norm"),
                       settings.add_and_norm()),
        cross_attention(part.at("encoder_attn"), settings.attention(), part.at("encoder_attn_layer_norm"),
                        settings.add_and_norm()),
        feed_forward(part.sharing_prefix("feed_forward"), settings.feed_forward(), part.at("final_layer_norm"),
                     settings.add_and_norm()) {}

  /// Maps x [N, D] and memory [M, D] to y [N, D].
  const Buffer<Scalar>& forward(const Pass& pass, const Buffer<Scalar>& x, const Buffer<Scalar>& memory,
                                const TransformerMasks& masks) {
    const Buffer<Scalar>& h = self_attention.forward(pass, x, masks.decoder_combined);
    const Buffer<Scalar>& g = cross_attention.forward(pass, h, memory, masks.cross_padding);
    return feed_forward.forward(pass, g);
  }
  /// Maps d_y [N, D] to d_x [N, D] and d_memory [M, D].
  MemoryGradients<Scalar> backward(const Pass& pass, const Buffer<Scalar>& d_y) {
    const Buffer<Scalar>& d_g = feed_forward.backward(pass, d_y);
    const auto [d_h, d_memory] = cross_attention.backward_with_memory(pass, d_g);
    return {self_attention.backward(pass, d_h), d_memory};
  }
  /// One step of a search: maps x [R, D], the newest token of each running hypothesis, to y [R, D]. `past` has the keys
  /// and values of all earlier tokens, `sources` those of the memory. Row r translates sentence sentences[r].
  const Buffer<Scalar>& step(const Pass& pass, const Buffer<Scalar>& x, KeyValueCache<Scalar>& past,
                             const EncodedSources<Scalar>& sources, std::span<const Index> sentences) {
    const Buffer<Scalar>& h = self_attention.step(pass, x, past);
    const Buffer<Scalar>& g = cross_attention.step(pass, h, sources, sentences);
    return feed_forward.forward(pass, g);
  }
};

}  // namespace glassformer
