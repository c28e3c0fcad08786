#include "layers/masks.hpp"

#include <algorithm>
#include <cassert>

namespace glassformer {

Mask padding_mask(const IdMatrix& ids, Id pad) {
  return {ids.rows(), 1, (ids.array() == pad).cast<std::uint8_t>()};
}

Mask look_ahead_mask(Index length) { return prefix_mask(length, 0); }

Mask prefix_mask(Index length, Index prefix) {
  assert(0 <= prefix && prefix <= length);
  Mask mask{1, length, Matrix<std::uint8_t>(length, length)};
  for (Index query = 0; query < length; ++query) {
    for (Index key = 0; key < length; ++key) mask.blocked(query, key) = key > query && key >= prefix;
  }
  return mask;
}

Mask all_visible(Index sentences, Index queries, Index keys) {
  return {sentences, queries, Matrix<std::uint8_t>::Zero(sentences * queries, keys)};
}

Mask switched(const Mask& mask, bool on) {
  return on ? mask : all_visible(mask.sentences, mask.queries, mask.keys());
}

Mask combined_mask(const Mask& a, const Mask& b) {
  assert(a.keys() == b.keys());
  Mask mask{std::max(a.sentences, b.sentences), std::max(a.queries, b.queries), {}};
  mask.blocked.resize(mask.sentences * mask.queries, a.keys());
  for (Index sentence = 0; sentence < mask.sentences; ++sentence) {
    for (Index query = 0; query < mask.queries; ++query) {
      mask.blocked.row(mask.row(sentence, query)) =
          a.blocked.row(a.row(sentence, query)).cwiseMax(b.blocked.row(b.row(sentence, query)));
    }
  }
  return mask;
}

std::vector<std::string> MaskSettings::off() const {
  std::vector<std::string> names;
  if (!encoder_padding) names.emplace_back("encoder_padding");
  if (!look_ahead) names.emplace_back("look_ahead");
  if (!target_padding) names.emplace_back("target_padding");
  if (!cross_padding) names.emplace_back("cross_padding");
  return names;
}

TransformerMasks make_masks(const IdMatrix& source, Id source_pad, const IdMatrix& target_input, Id target_pad,
                            const MaskSettings& on) {
  assert(source.rows() == target_input.rows());
  const Mask source_padding = padding_mask(source, source_pad);
  const Mask target_padding = switched(padding_mask(target_input, target_pad), on.target_padding);
  const Mask future = switched(look_ahead_mask(target_input.cols()), on.look_ahead);
  return {switched(source_padding, on.encoder_padding), combined_mask(target_padding, future),
          switched(source_padding, on.cross_padding)};
}

}  // namespace glassformer
