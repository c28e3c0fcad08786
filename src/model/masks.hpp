#pragma once

#include "glassformer/layers/masks.hpp"
#include "glassformer/model/special_ids.hpp"

/// Which masks a transformer uses, and where.
namespace glassformer {

/// The mask itself if `on`; otherwise a mask of the same shape that blocks nothing.
Mask apply_switch(Mask mask, bool on);

/// One switch per mask. To see what a mask does, turn it off: see configs/lessons.
///
/// If encoder_padding or cross_padding is off, a sentence's results depend on its padding, and thus on the other
/// sentences in its batch. target_padding matters only if look_ahead is off, because padding is in every word's future.
struct MaskSettings {
  bool encoder_padding = true;  ///< encoder self-attention does not see source padding
  bool look_ahead = true;       ///< decoder self-attention does not see the future
  bool target_padding = true;   ///< decoder self-attention does not see target padding
  bool cross_padding = true;    ///< cross-attention does not see source padding

  bool operator==(const MaskSettings&) const = default;

  bool all_on() const { return *this == MaskSettings{}; }
};

/// The three masks that attention reads, and the two that make up decoder_combined.
struct TransformerMasks {
  Mask encoder_padding = {};   ///< [B, 1, S] encoder self-attention: source padding
  Mask target_padding = {};    ///< [B, 1, T]
  Mask look_ahead = {};        ///< [1, T, T]
  Mask decoder_combined = {};  ///< [B, T, T] decoder self-attention: blocks what either of the two above blocks
  Mask cross_padding = {};     ///< [B, 1, S] cross-attention: source padding again, because its keys are source tokens
};

/// The masks of a padded batch. Masks that are off block nothing. source [B, S], target_input [B, T].
TransformerMasks make_masks(const IdMatrix& source, const IdMatrix& target_input, const SpecialIdPair& special,
                            const MaskSettings& on = {}, TransformerMasks reused = {});

}  // namespace glassformer
