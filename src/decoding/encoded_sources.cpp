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
  Index rows = 0, length = 0;
  sentences_.clear();
  for (const std::span<const Id> source : sources) {
    assert(!source.empty());
    sentences_.push_back({rows, padding_mask(as_matrix(source), pad)});
    rows += std::ssize(source);
    length = std::max(length, static_cast<Index>(std::ssize(source)));
  }
  IdMatrix ids = IdMatrix::Constant(size(), length, pad);                                          // [B, S]
  for (Index b = 0; b < size(); ++b) {
    const std::span<const Id> source = sources[static_cast<std::size_t>(b)];
    ids.row(b).head(std::ssize(source)) = as_matrix(source);
  }
  const Buffer<Scalar>& memory = model.encode(p, ids, padding_mask(ids, pad), Pass{}, cache_);     // [B*S, D]

  key_value_.resize(p.decoder.size());
  for (std::size_t layer = 0; layer < p.decoder.size(); ++layer) {
    Linear<Scalar>::forward(p.decoder[layer].cross_attention.key_value(), memory, projected_);     // [B*S, 2D]
    key_value_[layer].resize(rows, projected_.cols());
    for (Index b = 0; b < size(); ++b) {  // padding stays behind
      key_value_[layer].middleRows(sentences_[static_cast<std::size_t>(b)].first_row, mask(b).keys()) =
          projected_.middleRows(b * length, mask(b).keys());
    }
  }
}

template class EncodedSources<float>;
template class EncodedSources<double>;

}  // namespace glassformer
