#pragma once

#include "layers/add_and_norm.hpp"
#include "layers/attention.hpp"
#include "layers/feed_forward.hpp"
#include "model/settings.hpp"

namespace glassformer {

/// One layer of the decoder (Vaswani et al. 2017, figure 1, right):
///
///   h = add & norm(x, self-attention)          every target token looks at itself and at those before it
///   g = add & norm(h, cross-attention)         and then at all source tokens that are no padding
///   y = add & norm(g, feed-forward)
///
/// N = B * T rows of the decoder, M = B * S rows of the encoder ("memory"), D = model width.
template <std::floating_point Scalar>
struct DecoderLayer {
  /// Those of the parts.
  struct Parameters {
    typename SelfAttention<Scalar>::Parameters self_attention;
    typename AddAndNorm<Scalar>::Parameters self_attention_norm;
    typename CrossAttention<Scalar>::Parameters cross_attention;
    typename AddAndNorm<Scalar>::Parameters cross_attention_norm;
    typename FeedForward<Scalar>::Parameters feed_forward;
    typename AddAndNorm<Scalar>::Parameters feed_forward_norm;
    Parameters(ArenaCursor<Scalar>& cursor, const TransformerSettings& settings);
  };
  /// Those of the parts.
  struct Cache {
    typename SelfAttention<Scalar>::Cache self_attention;
    typename AddAndNorm<Scalar>::Cache self_attention_join;
    typename CrossAttention<Scalar>::Cache cross_attention;
    typename AddAndNorm<Scalar>::Cache cross_attention_join;
    typename FeedForward<Scalar>::Cache feed_forward;
    typename AddAndNorm<Scalar>::Cache feed_forward_join;

    const Buffer<Scalar>& output() const { return feed_forward_join.output; }      // [N, D]
    const Buffer<Scalar>& d_input() const { return self_attention_join.d_input; }  // [N, D]
    const Buffer<Scalar>& d_memory() const { return cross_attention.d_memory; }    // [M, D]
  };
  static constexpr Site kSites = 6;  // places that draw random numbers

  /// x [N, D] and memory [M, D] give cache.output() [N, D]. Draws at `site` .. site + kSites - 1.
  static void forward(const Parameters& p, const TransformerSettings& settings, const Buffer<Scalar>& x,
                      const Buffer<Scalar>& memory, const Mask& combined, const Mask& cross_padding, Index sentences,
                      const Pass& pass, Site site, Cache& cache, const Recorder& recorder = {});
  /// d_y [N, D] gives cache.d_input() [N, D] and cache.d_memory() [M, D].
  static void backward(const Parameters& p, const TransformerSettings& settings, const Buffer<Scalar>& x,
                       const Buffer<Scalar>& memory, Index sentences, Cache& cache, const Buffer<Scalar>& d_y,
                       Parameters& grad, const Recorder& recorder = {});
};

}  // namespace glassformer
