#include "glassformer/live/mask_cells.hpp"

#include <algorithm>
#include <string>

#include "glassformer/session/checks.hpp"

namespace glassformer {
namespace {

/// Copies [rows, keys] cells of a mask, and moves `cells` past them.
Mask take_mask(std::span<const std::uint8_t>& cells, Index sentences, Index queries, Index keys) {
  Mask mask = all_visible(sentences, queries, keys);
  std::copy_n(cells.begin(), mask.blocked.size(), mask.blocked.data());
  cells = cells.subspan(static_cast<std::size_t>(mask.blocked.size()));
  return mask;
}

}  // namespace

TransformerMasks masks_of_cells(std::span<const std::uint8_t> cells, const Batch& batch) {
  const Index B = batch.size();
  const Index S = batch.source.cols();
  const Index T = batch.target_input.cols();
  const Index expected = B * (S * S + T * T + T * S);
  if (std::ssize(cells) != expected) {
    refuse("masks: expected " + std::to_string(expected) + " cells, found " + std::to_string(cells.size()));
  }
  TransformerMasks masks;
  masks.encoder_padding = take_mask(cells, B, S, S);
  masks.decoder_combined = take_mask(cells, B, T, T);
  masks.cross_padding = take_mask(cells, B, T, S);
  check_masks(masks, batch);
  return masks;
}

}  // namespace glassformer
