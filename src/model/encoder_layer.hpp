#pragma once

#include "layers/add_and_norm.hpp"
#include "layers/attention.hpp"
#include "layers/feed_forward.hpp"
#include "model/settings.hpp"

namespace glassformer {

/// One layer of the encoder (Vaswani et al. 2017, figure 1, left):
///
///   h = add & norm(x, self-attention)          every source token looks at all source tokens that are no padding
///   y = add & norm(h, feed-forward)
///
/// N = B * S rows, D = model width.
template <std::floating_point Scalar>
struct EncoderLayer {
  /// Those of the parts.
  struct Parameters {
    typename SelfAttention<Scalar>::Parameters self_attention;
    typename AddAndNorm<Scalar>::Parameters self_attention_norm;
    typename FeedForward<Scalar>::Parameters feed_forward;
    typename AddAndNorm<Scalar>::Parameters feed_forward_norm;
    Parameters(ArenaCursor<Scalar>& cursor, const TransformerSettings& settings);
  };
  /// Those of the parts.
  struct Cache {
    typename SelfAttention<Scalar>::Cache self_attention;
    typename AddAndNorm<Scalar>::Cache self_attention_join;
    typename FeedForward<Scalar>::Cache feed_forward;
    typename AddAndNorm<Scalar>::Cache feed_forward_join;

    const Buffer<Scalar>& output() const { return feed_forward_join.output; }      // [N, D]
    const Buffer<Scalar>& d_input() const { return self_attention_join.d_input; }  // [N, D]
  };
  static constexpr Site kSites = 4;  // places that draw random numbers

  /// x [N, D] gives cache.output() [N, D]. Draws at `site` .. site + kSites - 1.
  static void forward(const Parameters& p, const TransformerSettings& settings, const Buffer<Scalar>& x,
                      const Mask& padding, Index sentences, const Pass& pass, Site site, Cache& cache,
                      const Recorder& recorder = {});
  /// d_y [N, D] gives cache.d_input() [N, D].
  static void backward(const Parameters& p, const TransformerSettings& settings, const Buffer<Scalar>& x,
                       Index sentences, Cache& cache, const Buffer<Scalar>& d_y, Parameters& grad,
                       const Recorder& recorder = {});
};

}  // namespace glassformer
