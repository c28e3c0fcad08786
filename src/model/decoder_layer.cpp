#include "model/decoder_layer.hpp"

namespace glassformer {

template <std::floating_point Scalar>
DecoderLayer<Scalar>::Parameters::Parameters(ArenaCursor<Scalar>& cursor, const TransformerSettings& settings)
    : self_attention(cursor, "self_attn", settings.d_model),
      self_attention_norm(cursor, "self_attn_layer_norm", settings.d_model),
      cross_attention(cursor, "encoder_attn", settings.d_model),
      cross_attention_norm(cursor, "encoder_attn_layer_norm", settings.d_model),
      feed_forward(cursor, settings.d_model, settings.d_ff),
      feed_forward_norm(cursor, "final_layer_norm", settings.d_model) {}

template <std::floating_point Scalar>
void DecoderLayer<Scalar>::forward(const Parameters& p, const TransformerSettings& settings, const Buffer<Scalar>& x,
                                   const Buffer<Scalar>& memory, const Mask& combined, const Mask& cross_padding,
                                   Index sentences, const Pass& pass, Site site, Cache& cache,
                                   const Recorder& recorder) {
  using Join = AddAndNorm<Scalar>;
  const AttentionSettings attention{settings.heads, settings.attention_dropout};

  // h = add & norm(x, self-attention)
  const Recorder self_join = recorder.at("self_attn_layer_norm");
  const Buffer<Scalar>& self_input =
      Join::enter(settings.norm, p.self_attention_norm, x, cache.self_attention_join, self_join);
  SelfAttention<Scalar>::forward(p.self_attention, attention, sentences, self_input, combined, pass, site,
                                 cache.self_attention, recorder.at("self_attn"));
  Join::leave(settings.norm, p.self_attention_norm, x, cache.self_attention.output, settings.dropout, pass, site + 1,
              cache.self_attention_join, self_join);
  const Buffer<Scalar>& h = cache.self_attention_join.output;

  // g = add & norm(h, cross-attention)
  const Recorder cross_join = recorder.at("encoder_attn_layer_norm");
  const Buffer<Scalar>& cross_input =
      Join::enter(settings.norm, p.cross_attention_norm, h, cache.cross_attention_join, cross_join);
  CrossAttention<Scalar>::forward(p.cross_attention, attention, sentences, cross_input, memory, cross_padding, pass,
                                  site + 2, cache.cross_attention, recorder.at("encoder_attn"));
  Join::leave(settings.norm, p.cross_attention_norm, h, cache.cross_attention.output, settings.dropout, pass,
              site + 3, cache.cross_attention_join, cross_join);
  const Buffer<Scalar>& g = cache.cross_attention_join.output;

  // y = add & norm(g, feed-forward)
  const Recorder feed_forward_join = recorder.at("final_layer_norm");
  const Buffer<Scalar>& feed_forward_input =
      Join::enter(settings.norm, p.feed_forward_norm, g, cache.feed_forward_join, feed_forward_join);
  FeedForward<Scalar>::forward(p.feed_forward, settings.activation, settings.activation_dropout, feed_forward_input,
                               pass, site + 4, cache.feed_forward, recorder.at("feed_forward"));
  Join::leave(settings.norm, p.feed_forward_norm, g, cache.feed_forward.output, settings.dropout, pass, site + 5,
              cache.feed_forward_join, feed_forward_join);
}

template <std::floating_point Scalar>
void DecoderLayer<Scalar>::backward(const Parameters& p, const TransformerSettings& settings, const Buffer<Scalar>& x,
                                    const Buffer<Scalar>& memory, Index sentences, Cache& cache,
                                    const Buffer<Scalar>& d_y, Parameters& grad, const Recorder& recorder) {
  using Join = AddAndNorm<Scalar>;
  const AttentionSettings attention{settings.heads, settings.attention_dropout};

  // y = add & norm(g, feed-forward)
  const Recorder feed_forward_join = recorder.at("final_layer_norm");
  const Buffer<Scalar>& g = cache.cross_attention_join.output;
  const Buffer<Scalar>& feed_forward_input = Join::entered(settings.norm, g, cache.feed_forward_join);
  Join::leave_backward(settings.norm, p.feed_forward_norm, cache.feed_forward_join, d_y, grad.feed_forward_norm,
                       feed_forward_join);
  FeedForward<Scalar>::backward(p.feed_forward, settings.activation, feed_forward_input, cache.feed_forward,
                                cache.feed_forward_join.d_sublayer, grad.feed_forward, recorder.at("feed_forward"));
  Join::enter_backward(settings.norm, p.feed_forward_norm, cache.feed_forward_join, cache.feed_forward.d_input,
                       grad.feed_forward_norm, feed_forward_join);
  const Buffer<Scalar>& d_g = cache.feed_forward_join.d_input;

  // g = add & norm(h, cross-attention)
  const Recorder cross_join = recorder.at("encoder_attn_layer_norm");
  const Buffer<Scalar>& h = cache.self_attention_join.output;
  const Buffer<Scalar>& cross_input = Join::entered(settings.norm, h, cache.cross_attention_join);
  Join::leave_backward(settings.norm, p.cross_attention_norm, cache.cross_attention_join, d_g,
                       grad.cross_attention_norm, cross_join);
  CrossAttention<Scalar>::backward(p.cross_attention, attention, sentences, cross_input, memory, cache.cross_attention,
                                   cache.cross_attention_join.d_sublayer, grad.cross_attention,
                                   recorder.at("encoder_attn"));
  Join::enter_backward(settings.norm, p.cross_attention_norm, cache.cross_attention_join,
                       cache.cross_attention.d_input, grad.cross_attention_norm, cross_join);
  const Buffer<Scalar>& d_h = cache.cross_attention_join.d_input;

  // h = add & norm(x, self-attention)
  const Recorder self_join = recorder.at("self_attn_layer_norm");
  const Buffer<Scalar>& self_input = Join::entered(settings.norm, x, cache.self_attention_join);
  Join::leave_backward(settings.norm, p.self_attention_norm, cache.self_attention_join, d_h, grad.self_attention_norm,
                       self_join);
  SelfAttention<Scalar>::backward(p.self_attention, attention, sentences, self_input, cache.self_attention,
                                  cache.self_attention_join.d_sublayer, grad.self_attention, recorder.at("self_attn"));
  Join::enter_backward(settings.norm, p.self_attention_norm, cache.self_attention_join, cache.self_attention.d_input,
                       grad.self_attention_norm, self_join);
}

template struct DecoderLayer<float>;
template struct DecoderLayer<double>;

}  // namespace glassformer
