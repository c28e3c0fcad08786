#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "numerics/matrix.hpp"

/// Masks are values one can look at. 1 means blocked, 0 visible; rows are queries, columns are keys.
///
/// A padding mask blocks keys, not queries: the rows of padded queries stay as they are, and the loss ignores
/// what comes out of them.
namespace glassformer {

/// Which keys each query of each sentence may not see.
struct Mask {
  Index sentences = 1;           ///< B, or 1: the same for every sentence
  Index queries = 1;             ///< T, or 1: the same for every query
  Matrix<std::uint8_t> blocked;  ///< [sentences * queries, keys], 1 = blocked

  Index keys() const { return blocked.cols(); }
  /// The row of `blocked` that rules query `query` of sentence `sentence`.
  Index row(Index sentence, Index query) const {
    return (sentences == 1 ? 0 : sentence) * queries + (queries == 1 ? 0 : query);
  }
  bool is_blocked(Index sentence, Index query, Index key) const { return blocked(row(sentence, query), key) != 0; }
};

/// Keys that are padding: [B, 1, S] from ids [B, S].
Mask padding_mask(const IdMatrix& ids, Id pad);

/// Keys that lie in the future of the query: [1, T, T], key > query.
Mask look_ahead_mask(Index length);

/// The first `prefix` keys are visible to all, the rest only from the query's own place on backwards: [1, T, T].
/// \pre 0 <= prefix <= length
Mask prefix_mask(Index length, Index prefix);

/// Nothing is blocked: zeros, [sentences, queries, keys].
Mask all_visible(Index sentences, Index queries, Index keys);

/// The mask if it is on, or else one of its shape that blocks nothing.
Mask switched(const Mask& mask, bool on);

/// Elementwise maximum: blocked where either is. Dimensions of 1 stretch to the other's. \pre equal keys
Mask combined_mask(const Mask& a, const Mask& b);

/// A switch for each mask. Off, it shows what the mask is for: see configs/lessons.
///
/// Without encoder_padding or cross_padding, what a sentence gives depends on how far it is padded: on its neighbours
/// in the batch. target_padding matters only where look_ahead is off: else padding lies in the future of every word.
struct MaskSettings {
  bool encoder_padding = true;  ///< encoder self-attention does not see padding of the source
  bool look_ahead = true;       ///< decoder self-attention does not see the future
  bool target_padding = true;   ///< decoder self-attention does not see padding of the target
  bool cross_padding = true;    ///< cross-attention does not see padding of the source

  bool operator==(const MaskSettings&) const = default;

  /// The names of those that are off.
  std::vector<std::string> off() const;
};

/// The three masks of an encoder-decoder transformer.
struct TransformerMasks {
  Mask encoder_padding;   ///< [B, 1, S] encoder self-attention: padding of the source
  Mask decoder_combined;  ///< [B, T, T] decoder self-attention: the future, and padding of the target
  Mask cross_padding;     ///< [B, 1, S] cross-attention: padding of the source again, for its keys are the encoder's
};

/// The three masks of a padded batch, without what is off. source [B, S], target_input [B, T].
TransformerMasks make_masks(const IdMatrix& source, Id source_pad, const IdMatrix& target_input, Id target_pad,
                            const MaskSettings& on = {});

}  // namespace glassformer
