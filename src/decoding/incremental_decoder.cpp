#include "decoding/incremental_decoder.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "numerics/row_operations.hpp"

namespace glassformer {

template <std::floating_point Scalar>
void EncodedSources<Scalar>::encode(Transformer<Scalar>& model, std::span<const std::span<const Id>> sources) {
  const Id pad = model.vocabulary.pad.source;
  const MaskSettings& on = model.settings.masks;
  Index rows = 0;
  Index length = 0;
  for (const std::span<const Id> source : sources) {
    length = std::max(length, std::ssize(source));
  }
  IdMatrix ids(std::ssize(sources), length);  // [B, S]
  ids.fill(pad);
  sentences_.clear();
  for (Index b = 0; b < ids.rows(); ++b) {
    const std::span<const Id> source = sources[static_cast<std::size_t>(b)];
    assert(!source.empty());
    std::ranges::copy(source, ids.row(b).begin());
    const Index keys = on.cross_padding ? std::ssize(source) : length;  // a model trained to see padding sees it
    IdMatrix visible(1, keys);
    std::copy_n(ids.row(b).begin(), keys, visible.data());
    sentences_.push_back({rows, apply_switch(padding_mask(visible, pad), on.cross_padding)});
    rows += keys;
  }
  const Mask encoder_mask = apply_switch(padding_mask(ids, pad), on.encoder_padding);  // [B, 1, S]
  const Buffer<Scalar>& memory = model.encode(Pass{}, ids, encoder_mask);              // [B*S, D]

  key_value_.resize(model.decoder_layers.size());
  for (std::size_t layer = 0; layer < key_value_.size(); ++layer) {
    const Buffer<Scalar>& projected =
        model.decoder_layers[layer].cross_attention.sublayer.kv_proj.forward(Pass{}, memory);  // [B*S, 2D]
    key_value_[layer].resize(rows, projected.cols());
    for (Index b = 0; b < size(); ++b) {  // blocked padding is left out
      const Index first_row = sentences_[static_cast<std::size_t>(b)].first_row;
      const Index keys = mask(b).keys();
      copy(projected.view().middle_rows(b * length, keys), key_value_[layer].view().middle_rows(first_row, keys));
    }
  }
}

template <std::floating_point Scalar>
IncrementalDecoder<Scalar>::IncrementalDecoder(const Model<Scalar>& model) : model_(make_transformer(model)) {}

template <std::floating_point Scalar>
void IncrementalDecoder<Scalar>::start(std::span<const std::span<const Id>> sources, Index hypotheses) {
  sources_.encode(*model_, sources);
  past_.start(model_->decoder_layers.size(), sources_.size() * hypotheses, model_->settings.d_model);
}

template <std::floating_point Scalar>
const Buffer<Scalar>& IncrementalDecoder<Scalar>::step(std::span<const Extension> rows) {
  parents_.clear();
  for (const Extension& row : rows) {
    parents_.push_back(row.parent);
  }
  past_.extend(parents_);
  all_visible_ = all_visible(1, 1, past_.length(), std::move(all_visible_));

  const Buffer<Scalar>* x = &embed(rows);  // [R, D]
  for (std::size_t i = 0; i < model_->decoder_layers.size(); ++i) {
    const Buffer<Scalar>& h = self_attention(i, *x);
    const Buffer<Scalar>& g = cross_attention(i, h, rows);
    x = &model_->decoder_layers[i].feed_forward.forward(Pass{}, g);  // [R, D]
  }
  if (model_->decoder_norm) {
    x = &model_->decoder_norm->forward(Pass{}, *x);
  }
  return model_->output.forward(Pass{}, *x);  // [R, V]
}

template <std::floating_point Scalar>
const Buffer<Scalar>& IncrementalDecoder<Scalar>::embed(std::span<const Extension> rows) {
  embedded_.resize(std::ssize(rows), model_->settings.d_model);
  for (Index r = 0; r < std::ssize(rows); ++r) {
    model_->target_embedding.embed(rows[static_cast<std::size_t>(r)].token, past_.length() - 1, embedded_.row(r));
  }
  return embedded_;
}

/// Each row attends to its own past only, so it is treated as a sentence with one query.
template <std::floating_point Scalar>
const Buffer<Scalar>& IncrementalDecoder<Scalar>::self_attention(std::size_t layer, const Buffer<Scalar>& x) {
  auto& [attention, residual] = model_->decoder_layers[layer].self_attention;
  const Index D = x.cols();
  const Buffer<Scalar>& query_key_value = attention.qkv_proj.forward(Pass{}, residual.enter(Pass{}, x));  // [R, 3D]
  context_.resize_like(x);
  for (Index r = 0; r < x.rows(); ++r) {
    const auto row = query_key_value.view().middle_rows(r, 1);
    std::copy_n(row.data() + D, 2 * D, past_.newest(layer, r).data());
    const Buffer<Scalar>& context = attention.attention.forward(Pass{}, row.middle_cols(0, D), past_.keys(layer, r),
                                                                past_.values(layer, r), all_visible_);
    copy(context, context_.view().middle_rows(r, 1));
  }
  return residual.leave(Pass{}, x, attention.out_proj.forward(Pass{}, context_));  // [R, D]
}

/// The hypotheses of a sentence are queries to the same keys.
template <std::floating_point Scalar>
const Buffer<Scalar>& IncrementalDecoder<Scalar>::cross_attention(std::size_t layer, const Buffer<Scalar>& x,
                                                                  std::span<const Extension> rows) {
  auto& [attention, residual] = model_->decoder_layers[layer].cross_attention;
  const Buffer<Scalar>& query = attention.q_proj.forward(Pass{}, residual.enter(Pass{}, x));  // [R, D]
  context_.resize_like(x);
  for (std::size_t first = 0, end = 0; first < rows.size(); first = end) {
    const Index sentence = rows[first].sentence;
    while (end < rows.size() && rows[end].sentence == sentence) {
      ++end;
    }
    const auto from = static_cast<Index>(first);
    const auto count = static_cast<Index>(end - first);
    const Buffer<Scalar>& context =
        attention.attention.forward(Pass{}, query.view().middle_rows(from, count), sources_.keys(layer, sentence),
                                    sources_.values(layer, sentence), sources_.mask(sentence));
    copy(context, context_.view().middle_rows(from, count));
  }
  return residual.leave(Pass{}, x, attention.out_proj.forward(Pass{}, context_));  // [R, D]
}

template class EncodedSources<float>;
template class EncodedSources<double>;
template class IncrementalDecoder<float>;
template class IncrementalDecoder<double>;

}  // namespace glassformer
