#include "model/encoder_layer.hpp"

namespace glassformer {

template <std::floating_point Scalar>
EncoderLayer<Scalar>::Parameters::Parameters(ArenaCursor<Scalar>& cursor, const TransformerSettings& settings)
    : self_attention(cursor, "self_attn", settings.d_model),
      self_attention_norm(cursor, "self_attn_layer_norm", settings.d_model),
      feed_forward(cursor, settings.d_model, settings.d_ff),
      feed_forward_norm(cursor, "final_layer_norm", settings.d_model) {}

template <std::floating_point Scalar>
void EncoderLayer<Scalar>::forward(const Parameters& p, const TransformerSettings& settings, const Buffer<Scalar>& x,
                                   const Mask& padding, Index sentences, const Pass& pass, Site site, Cache& cache,
                                   const Recorder& recorder) {
  using Join = AddAndNorm<Scalar>;
  // h = add & norm(x, self-attention)
  const Recorder self_attention_join = recorder.at("self_attn_layer_norm");
  const Buffer<Scalar>& attention_input =
      Join::enter(settings.norm, p.self_attention_norm, x, cache.self_attention_join, self_attention_join);
  SelfAttention<Scalar>::forward(p.self_attention, {settings.heads, settings.attention_dropout}, sentences,
                                 attention_input, padding, pass, site, cache.self_attention, recorder.at("self_attn"));
  Join::leave(settings.norm, p.self_attention_norm, x, cache.self_attention.output, settings.dropout, pass, site + 1,
              cache.self_attention_join, self_attention_join);
  const Buffer<Scalar>& h = cache.self_attention_join.output;

  // y = add & norm(h, feed-forward)
  const Recorder feed_forward_join = recorder.at("final_layer_norm");
  const Buffer<Scalar>& feed_forward_input =
      Join::enter(settings.norm, p.feed_forward_norm, h, cache.feed_forward_join, feed_forward_join);
  FeedForward<Scalar>::forward(p.feed_forward, settings.activation, settings.activation_dropout, feed_forward_input,
                               pass, site + 2, cache.feed_forward, recorder.at("feed_forward"));
  Join::leave(settings.norm, p.feed_forward_norm, h, cache.feed_forward.output, settings.dropout, pass, site + 3,
              cache.feed_forward_join, feed_forward_join);
}

template <std::floating_point Scalar>
void EncoderLayer<Scalar>::backward(const Parameters& p, const TransformerSettings& settings, const Buffer<Scalar>& x,
                                    Index sentences, Cache& cache, const Buffer<Scalar>& d_y, Parameters& grad,
                                    const Recorder& recorder) {
  using Join = AddAndNorm<Scalar>;
  // y = add & norm(h, feed-forward)
  const Recorder feed_forward_join = recorder.at("final_layer_norm");
  Join::leave_backward(settings.norm, p.feed_forward_norm, cache.feed_forward_join, d_y, grad.feed_forward_norm,
                       feed_forward_join);
  const Buffer<Scalar>& h = cache.self_attention_join.output;
  const Buffer<Scalar>& feed_forward_input = Join::entered(settings.norm, h, cache.feed_forward_join);
  FeedForward<Scalar>::backward(p.feed_forward, settings.activation, feed_forward_input, cache.feed_forward,
                                cache.feed_forward_join.d_sublayer, grad.feed_forward, recorder.at("feed_forward"));
  Join::enter_backward(settings.norm, p.feed_forward_norm, cache.feed_forward_join, cache.feed_forward.d_input,
                       grad.feed_forward_norm, feed_forward_join);
  const Buffer<Scalar>& d_h = cache.feed_forward_join.d_input;

  // h = add & norm(x, self-attention)
  const Recorder self_attention_join = recorder.at("self_attn_layer_norm");
  Join::leave_backward(settings.norm, p.self_attention_norm, cache.self_attention_join, d_h, grad.self_attention_norm,
                       self_attention_join);
  const Buffer<Scalar>& attention_input = Join::entered(settings.norm, x, cache.self_attention_join);
  SelfAttention<Scalar>::backward(p.self_attention, {settings.heads, settings.attention_dropout}, sentences,
                                  attention_input, cache.self_attention, cache.self_attention_join.d_sublayer,
                                  grad.self_attention, recorder.at("self_attn"));
  Join::enter_backward(settings.norm, p.self_attention_norm, cache.self_attention_join, cache.self_attention.d_input,
                       grad.self_attention_norm, self_attention_join);
}

template struct EncoderLayer<float>;
template struct EncoderLayer<double>;

}  // namespace glassformer
