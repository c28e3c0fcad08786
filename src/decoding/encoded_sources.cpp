#include "decoding/encoded_sources.hpp"

#include <algorithm>
#include <cassert>

#include "numerics/row_operations.hpp"

namespace glassformer {
template <std::floating_point Scalar>
void EncodedSources<Scalar>::encode(Transformer<Scalar>& model, std::span<const std::span<const Id>> sources) {
  const Id pad = model.vocabulary.pad.source;
  const MaskSettings& on = model.settings.masks;
  Index rows = 0, length = 0;
  for (const std::span<const Id> source : sources) length = std::max(length, std::ssize(source));
  IdMatrix ids(std::ssize(sources), length);  // [B, S]
  ids.fill(pad);
  sentences_.clear();
  for (Index b = 0; b < ids.rows(); ++b) {
    const std::span<const Id> source = sources[static_cast<std::size_t>(b)];
    assert(!source.empty());
    std::ranges::copy(source, ids.row(b).begin());
    const Index keys = on.cross_padding ? std::ssize(source) : length;  // trained to see padding, it is shown padding
    IdMatrix visible(1, keys);
    std::copy_n(ids.row(b).begin(), keys, visible.data());
    sentences_.push_back({rows, switched(padding_mask(visible, pad), on.cross_padding)});
    rows += keys;
  }
  const Mask encoder_mask = switched(padding_mask(ids, pad), on.encoder_padding);                  // [B, 1, S]
  const Buffer<Scalar>& memory = model.encode(Pass{}, ids, encoder_mask);                          // [B*S, D]

  key_value_.resize(model.decoder_layers.size());
  for (std::size_t layer = 0; layer < key_value_.size(); ++layer) {
    const Buffer<Scalar>& projected =
        model.decoder_layers[layer].cross_attention.sublayer.kv_proj.forward(Pass{}, memory);  // [B*S, 2D]
    key_value_[layer].resize(rows, projected.cols());
    for (Index b = 0; b < size(); ++b) {  // blocked padding is left out
      const Index first_row = sentences_[static_cast<std::size_t>(b)].first_row, keys = mask(b).keys();
      copy(projected.view().middle_rows(b * length, keys), key_value_[layer].view().middle_rows(first_row, keys));
    }
  }
}

template class EncodedSources<float>;
template class EncodedSources<double>;

}  // namespace glassformer
