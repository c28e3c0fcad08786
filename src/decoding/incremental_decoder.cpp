#include "glassformer/decoding/incremental_decoder.hpp"

#include <algorithm>
#include <cassert>

namespace glassformer {

template <std::floating_point Scalar>
IncrementalDecoder<Scalar>::IncrementalDecoder(const Model<Scalar>& model)
    : model_(make_transformer(model)), sources_(model_->decoder_layers.size()), past_(model_->decoder_layers.size()) {}

template <std::floating_point Scalar>
IncrementalDecoder<Scalar>::IncrementalDecoder(const Model<Scalar>& model, PackedWeights<Scalar>& packed)
    : IncrementalDecoder(model) {
  model_->bind(model.weights, packed);
}

template <std::floating_point Scalar>
void IncrementalDecoder<Scalar>::start(std::span<const std::span<const Id>> sources, Index hypotheses) {
  encode(sources);
  position_ = 0;
  for (KeyValueCache<Scalar>& past : past_) {
    past.start(std::ssize(sources) * hypotheses, model_->settings.d_model);
  }
}

template <std::floating_point Scalar>
void IncrementalDecoder<Scalar>::encode(std::span<const std::span<const Id>> sources) {
  const Id pad = model_->vocabulary.special.source.pad;
  const MaskSettings& on = model_->settings.masks;
  Index length = 0;
  for (const std::span<const Id> source : sources) {
    length = std::max(length, std::ssize(source));
  }
  IdMatrix ids(std::ssize(sources), length);  // [B, S]
  ids.fill(pad);
  cross_masks_.clear();
  for (Index b = 0; b < ids.rows(); ++b) {
    const std::span<const Id> source = sources[static_cast<std::size_t>(b)];
    assert(!source.empty());
    std::ranges::copy(source, ids.row(b).begin());
    const Index keys = on.cross_padding ? std::ssize(source) : length;  // a model trained to see padding sees it
    IdMatrix visible(1, keys);
    std::copy_n(ids.row(b).begin(), keys, visible.data());
    cross_masks_.push_back(apply_switch(padding_mask(visible, pad), on.cross_padding));
  }
  const Mask encoder_mask = apply_switch(padding_mask(ids, pad), on.encoder_padding);  // [B, 1, S]
  const Buffer<Scalar>& memory = model_->encode(Pass{}, ids, encoder_mask);            // [B*S, D]
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    sources_[i] = model_->decoder_layers[i].cross_attention.sublayer.project(Pass{}, memory, cross_masks_);
  }
}

template <std::floating_point Scalar>
const Buffer<Scalar>& IncrementalDecoder<Scalar>::step(std::span<const Extension> rows) {
  parents_.clear();
  sentences_.clear();
  embedded_.resize(std::ssize(rows), model_->settings.d_model);
  for (Index r = 0; r < std::ssize(rows); ++r) {
    const Extension& row = rows[static_cast<std::size_t>(r)];
    parents_.push_back(row.parent);
    sentences_.push_back(row.sentence);
    model_->target_embedding.embed(row.token, position_, embedded_.row(r));
  }
  ++position_;
  const Buffer<Scalar>* x = &embedded_;  // [R, D]
  for (std::size_t i = 0; i < past_.size(); ++i) {
    past_[i].extend(parents_);
    x = &model_->decoder_layers[i].step(Pass{}, *x, past_[i], sources_[i], sentences_);  // [R, D]
  }
  return model_->logits(Pass{}, *x);  // [R, V]
}

template class IncrementalDecoder<float>;
template class IncrementalDecoder<double>;

}  // namespace glassformer
