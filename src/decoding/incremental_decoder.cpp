#include "decoding/incremental_decoder.hpp"

namespace glassformer {

template <std::floating_point Scalar>
void IncrementalDecoder<Scalar>::start(const Transformer<Scalar>& model,
                                       const typename Transformer<Scalar>::Parameters& parameters,
                                       std::span<const std::span<const Id>> sources, Index hypotheses) {
  model_ = &model;
  parameters_ = &parameters;
  sources_.encode(model, parameters, sources);
  past_.start(parameters.decoder.size(), sources_.size() * hypotheses, model.settings.d_model);
}

template <std::floating_point Scalar>
Eigen::Ref<const Matrix<Scalar>> IncrementalDecoder<Scalar>::step(std::span<const Extension> rows) {
  const auto& p = *parameters_;
  parents_.clear();
  for (const Extension& row : rows) parents_.push_back(row.parent);
  past_.extend(parents_);
  all_visible_.blocked.setZero(1, past_.length());

  const Buffer<Scalar>* x = &embed(rows);                                                          // [R, D]
  for (std::size_t i = 0; i < p.decoder.size(); ++i) {
    self_attention(i, *x);
    cross_attention(i, layer_.self_attention_join.output, rows);
    feed_forward(i, layer_.cross_attention_join.output);
    x = &layer_.output();                                                                          // [R, D]
  }
  if (p.decoder_norm) {
    LayerNorm<Scalar>::forward(*p.decoder_norm, *x, norm_, normed_state_);
    x = &normed_state_;
  }
  Linear<Scalar>::forward(p.output, *x, logits_);                                                  // [R, V]
  return logits_;
}

template <std::floating_point Scalar>
const Buffer<Scalar>& IncrementalDecoder<Scalar>::embed(std::span<const Extension> rows) {
  const auto count = static_cast<Index>(rows.size());
  const Index place = past_.length() - 1, D = model_->settings.d_model;
  ensure_positions(place + 1, D, embedding_.positions);
  embedding_.output.resize(count, D);
  const Scalar scale = Embedding<Scalar>::scale_of(D, model_->settings.scale_embeddings);
  for (Index r = 0; r < count; ++r) {
    const Id token = rows[static_cast<std::size_t>(r)].token;
    Embedding<Scalar>::embed(parameters_->target_embedding, token, scale, embedding_.positions, place,
                             embedding_.output.row(r));
  }
  return embedding_.output;
}

template <std::floating_point Scalar>
void IncrementalDecoder<Scalar>::self_attention(std::size_t layer, const Buffer<Scalar>& x) {
  const TransformerSettings& settings = model_->settings;
  const auto& p = parameters_->decoder[layer];
  const Index D = settings.d_model;
  typename SelfAttention<Scalar>::Cache& room = layer_.self_attention;

  const Buffer<Scalar>& input = Join::enter(settings.norm, p.self_attention_norm, x, layer_.self_attention_join);
  Linear<Scalar>::forward(p.self_attention.query_key_value, input, room.query_key_value);          // [R, 3D]
  room.context.resize_like(x);
  for (Index r = 0; r < x.rows(); ++r) {
    past_.newest(layer, r) = room.query_key_value.row(r).rightCols(2 * D);
    ScaledDotProductAttention<Scalar>::forward(1, settings.heads, room.query_key_value.block(r, 0, 1, D),
                                               past_.keys(layer, r), past_.values(layer, r), all_visible_, 0, Pass{},
                                               0, room.attention, room.context.middleRows(r, 1));
  }
  Linear<Scalar>::forward(p.self_attention.output, room.context, room.output);                     // [R, D]
  Join::leave(settings.norm, p.self_attention_norm, x, room.output, 0, Pass{}, 0, layer_.self_attention_join);
}

template <std::floating_point Scalar>
void IncrementalDecoder<Scalar>::cross_attention(std::size_t layer, const Buffer<Scalar>& x,
                                                 std::span<const Extension> rows) {
  const TransformerSettings& settings = model_->settings;
  const auto& p = parameters_->decoder[layer];
  typename CrossAttention<Scalar>::Cache& room = layer_.cross_attention;

  const Buffer<Scalar>& input = Join::enter(settings.norm, p.cross_attention_norm, x, layer_.cross_attention_join);
  Linear<Scalar>::forward(p.cross_attention.query(), input, room.query);                           // [R, D]
  room.context.resize_like(x);
  for (std::size_t first = 0; first < rows.size();) {  // the hypotheses of one sentence are its queries
    const Index sentence = rows[first].sentence;
    std::size_t end = first + 1;
    while (end < rows.size() && rows[end].sentence == sentence) ++end;
    const auto from = static_cast<Index>(first), count = static_cast<Index>(end - first);
    ScaledDotProductAttention<Scalar>::forward(1, settings.heads, room.query.middleRows(from, count),
                                               sources_.keys(layer, sentence), sources_.values(layer, sentence),
                                               sources_.mask(sentence), 0, Pass{}, 0, room.attention,
                                               room.context.middleRows(from, count));
    first = end;
  }
  Linear<Scalar>::forward(p.cross_attention.output, room.context, room.output);                    // [R, D]
  Join::leave(settings.norm, p.cross_attention_norm, x, room.output, 0, Pass{}, 0, layer_.cross_attention_join);
}

template <std::floating_point Scalar>
void IncrementalDecoder<Scalar>::feed_forward(std::size_t layer, const Buffer<Scalar>& x) {
  const TransformerSettings& settings = model_->settings;
  const auto& p = parameters_->decoder[layer];
  const Buffer<Scalar>& input = Join::enter(settings.norm, p.feed_forward_norm, x, layer_.feed_forward_join);
  FeedForward<Scalar>::forward(p.feed_forward, settings.activation, 0, input, Pass{}, 0, layer_.feed_forward);
  Join::leave(settings.norm, p.feed_forward_norm, x, layer_.feed_forward.output, 0, Pass{}, 0,
              layer_.feed_forward_join);
}

template class IncrementalDecoder<float>;
template class IncrementalDecoder<double>;

}  // namespace glassformer
