#include "glassformer/model/masks.hpp"

#include <cassert>
#include <utility>

namespace glassformer {

Mask apply_switch(Mask mask, bool on) {
  if (!on) {
    mask.blocked.fill(0);
  }
  return mask;
}

TransformerMasks make_masks(const IdMatrix& source, const IdMatrix& target_input, const SpecialIdPair& special,
                            const MaskSettings& on, TransformerMasks reused) {
  assert(source.rows() == target_input.rows());
  TransformerMasks masks = std::move(reused);
  const auto make_padding = [](Mask& mask, const IdMatrix& ids, Id id, bool is_on) {
    mask = apply_switch(padding_mask(ids, id, std::move(mask)), is_on);
  };
  make_padding(masks.encoder_padding, source, special.source.pad, on.encoder_padding);
  make_padding(masks.target_padding, target_input, special.target.pad, on.target_padding);
  make_padding(masks.cross_padding, source, special.source.pad, on.cross_padding);
  masks.look_ahead = apply_switch(look_ahead_mask(target_input.cols(), std::move(masks.look_ahead)), on.look_ahead);
  masks.decoder_combined = combined_mask(masks.target_padding, masks.look_ahead, std::move(masks.decoder_combined));
  return masks;
}

}  // namespace glassformer
