#pragma once

#include <string>
#include <vector>

#include "glassformer/batching/batch.hpp"
#include "glassformer/model/masks.hpp"

namespace glassformer {

/// One elementary mask, and the reason why it blocks. A combined mask blocks wherever one of its elementary masks does.
struct BlockReason {
  std::string name;  ///< "padding", "future" (both of the key), "padded_query", or "inverted" (0 read as blocked)
  Mask mask;
};

/// Why each of the TransformerMasks blocks what it does. Elementary masks that are off are left out.
struct BlockReasons {
  std::vector<BlockReason> encoder_padding, decoder_combined, cross_padding;
};

/// "What if": different masks for the same batch and model.
struct MaskVariant {
  std::string name;   ///< "no_look_ahead"
  std::string title;  ///< "Without the look-ahead mask"
  std::string says;   ///< what differs, and what to look at
  BlockReasons reasons;
  TransformerMasks masks = {};            ///< the elementwise maximum of the reasons' masks
  std::vector<std::string> changed = {};  ///< which masks differ from the model's own
};

/// The first variant, "right", has the model's own masks: those that are `on`. Each of the others leaves out a kind of
/// mask or makes a common mistake (a look-ahead mask one or three positions late, padding that also blocks queries, 1
/// read as "visible"). A model that lacks some masks also gets "all_masks". source [B, S], target_input [B, T].
std::vector<MaskVariant> mask_variants(const MaskSettings& on, const SpecialIdPair& special, const IdMatrix& source,
                                       const IdMatrix& target_input);

/// The config keys of the masks that are off: "look_ahead".
std::vector<std::string> masks_off(MaskSettings on);

}  // namespace glassformer
