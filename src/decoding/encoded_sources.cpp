#include "decoding/encoded_sources.hpp"

#include <algorithm>
#include <cassert>

namespace glassformer {
namespace {

Eigen::Map<const IdMatrix> as_matrix(std::span<const Id> source) {
  return {source.data(), 1, static_cast<Index>(source.size())};
}

}  // namespace

template <std::floating_point Scalar>
void EncodedSources<Scalar>::encode(const Transformer<Scalar>& model,
                                    const typename Transformer<Scalar>::Parameters& p,
                                    std::span<const std::span<const Id>> sources) {
  const Id pad = model.vocabulary.source_pad;
  const MaskSettings& on = model.settings.masks;
  Index rows = 0, length = 0;
  for (const std::span<const Id> source : sources) length = std::max(length, static_cast<Index>(source.size()));
  IdMatrix ids = IdMatrix::Constant(static_cast<Index>(sources.size()), length, pad);              // [B, S]
  sentences_.clear();
  for (Index b = 0; b < ids.rows(); ++b) {
    const std::span<const Id> source = sources[static_cast<std::size_t>(b)];
    assert(!source.empty());
    const auto tokens = static_cast<Index>(source.size());
    ids.row(b).head(tokens) = as_matrix(source);
    const Index keys = on.cross_padding ? tokens : length;  // who has learned to see padding is shown it
    sentences_.push_back({rows, switched(padding_mask(ids.row(b).head(keys), pad), on.cross_padding)});
    rows += keys;
  }
  const Mask encoder_mask = switched(padding_mask(ids, pad), on.encoder_padding);                  // [B, 1, S]
  const Buffer<Scalar>& memory = model.encode(p, ids, encoder_mask, Pass{}, cache_);               // [B*S, D]

  key_value_.resize(p.decoder.size());
  for (std::size_t layer = 0; layer < p.decoder.size(); ++layer) {
    Linear<Scalar>::forward(p.decoder[layer].cross_attention.key_value(), memory, projected_);     // [B*S, 2D]
    key_value_[layer].resize(rows, projected_.cols());
    for (Index b = 0; b < size(); ++b) {  // padding that is blocked stays behind
      key_value_[layer].middleRows(sentences_[static_cast<std::size_t>(b)].first_row, mask(b).keys()) =
          projected_.middleRows(b * length, mask(b).keys());
    }
  }
}

template class EncodedSources<float>;
template class EncodedSources<double>;

}  // namespace glassformer
