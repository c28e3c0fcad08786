#include "decoding/encoded_sources.hpp"

#include <algorithm>
#include <cassert>

#include "decoding/whole_rows.hpp"

namespace glassformer {
namespace {

Index padded_length(std::span<const Id> source) { return whole_length(static_cast<Index>(source.size())); }

Eigen::Map<const IdMatrix> as_matrix(std::span<const Id> source) {
  return {source.data(), 1, static_cast<Index>(source.size())};
}

}  // namespace

template <std::floating_point Scalar>
void EncodedSources<Scalar>::encode(const Transformer<Scalar>& model,
                                    const typename Transformer<Scalar>::Parameters& p,
                                    std::span<const std::span<const Id>> sources) {
  Index rows = 0;
  sentences_.clear();
  for (const std::span<const Id> source : sources) {
    assert(!source.empty());
    sentences_.push_back({rows, padding_mask(as_matrix(source), model.vocabulary.source_pad)});
    rows += static_cast<Index>(source.size());
  }
  key_value_.resize(p.decoder.size());
  for (Buffer<Scalar>& both : key_value_) both.resize(rows, 2 * model.settings.d_model);

  // How far a sentence is padded depends on its own length alone, so that the encoder computes the same, whichever
  // sentences come along.
  for (std::size_t first = 0; first < sources.size();) {
    const Index length = padded_length(sources[first]);
    std::size_t end = first + 1;
    while (end < sources.size() && padded_length(sources[end]) == length) ++end;
    encode_group(model, p, sources.subspan(first, end - first), length, sentences_[first].first_row);
    first = end;
  }
}

template <std::floating_point Scalar>
void EncodedSources<Scalar>::encode_group(const Transformer<Scalar>& model,
                                          const typename Transformer<Scalar>::Parameters& p,
                                          std::span<const std::span<const Id>> sources, Index length,
                                          Index first_row) {
  const Id pad = model.vocabulary.source_pad;
  const auto count = static_cast<Index>(sources.size());
  IdMatrix ids = IdMatrix::Constant(whole_sentences(count), length, pad);                          // [B, S]
  for (Index b = 0; b < count; ++b) {
    const std::span<const Id> source = sources[static_cast<std::size_t>(b)];
    ids.row(b).head(static_cast<Index>(source.size())) = as_matrix(source);
  }
  const Buffer<Scalar>& memory = model.encode(p, ids, padding_mask(ids, pad), Pass{}, cache_);     // [B*S, D]

  for (std::size_t layer = 0; layer < p.decoder.size(); ++layer) {
    Linear<Scalar>::forward(p.decoder[layer].cross_attention.key_value(), memory, projected_);     // [B*S, 2D]
    Index row = first_row;
    for (Index b = 0; b < count; ++b) {  // padding stays behind
      const auto size = static_cast<Index>(sources[static_cast<std::size_t>(b)].size());
      key_value_[layer].middleRows(row, size) = projected_.middleRows(b * length, size);
      row += size;
    }
  }
}

template class EncodedSources<float>;
template class EncodedSources<double>;

}  // namespace glassformer
