#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "numerics/matrix.hpp"

/// Masks are values you can inspect. 1 means blocked, 0 visible; rows are queries, columns are keys. A padding mask
/// blocks keys, not queries: queries that are padding get results like any other, which the loss ignores.
///
/// Functions that make a mask can take over the memory of an older one, `reused`: a training step allocates nothing.
namespace glassformer {

/// Which keys each query of each sentence must not see.
struct Mask {
  Index sentences = 1;           ///< B, or 1: the same for every sentence
  Index queries = 1;             ///< T, or 1: the same for every query
  Buffer<std::uint8_t> blocked;  ///< [sentences * queries, keys], 1 = blocked

  Index keys() const { return blocked.cols(); }
  /// The row of `blocked` that belongs to query `query` of sentence `sentence`.
  Index row(Index sentence, Index query) const {
    return (sentences == 1 ? 0 : sentence) * queries + (queries == 1 ? 0 : query);
  }
  /// The same for row n = (sentence * H + head) * T + query of B * H * T = `rows` rows of scores, with H heads: each
  /// sentence has rows / B of them.
  Index row_for(Index n, Index rows) const { return n / (rows / sentences) * queries + n % queries; }
  bool is_blocked(Index sentence, Index query, Index key) const { return blocked(row(sentence, query), key) != 0; }
  /// Whether B sentences with T queries each can be masked by it.
  bool fits(Index B, Index T) const { return (sentences == B || sentences == 1) && (queries == T || queries == 1); }
};

/// Keys that are padding: [B, 1, S] from ids [B, S].
Mask padding_mask(const IdMatrix& ids, Id pad, Mask reused = {});

/// Keys that lie in the future of the query: [1, T, T], key > query.
Mask look_ahead_mask(Index length, Mask reused = {});

/// The first `prefix` (0 .. length) keys are visible to all queries, the others to their own and later ones: [1, T, T].
Mask prefix_mask(Index length, Index prefix, Mask reused = {});

/// Nothing is blocked: zeros, [sentences, queries, keys].
Mask all_visible(Index sentences, Index queries, Index keys, Mask reused = {});

/// The mask itself if it is on; otherwise one of its shape that blocks nothing.
Mask switched(Mask mask, bool on);

/// Elementwise maximum: blocked where either is. Dimensions of 1 stretch to the other's. \pre equal keys
Mask combined_mask(const Mask& a, const Mask& b, Mask reused = {});

/// A switch for each mask. Turning one off shows what it is for: see configs/lessons.
///
/// Without encoder_padding or cross_padding, a sentence's results depend on how far it is padded: on its neighbours in
/// the batch. target_padding matters only if look_ahead is off; otherwise padding lies in the future of every word.
struct MaskSettings {
  bool encoder_padding = true;  ///< encoder self-attention does not see padding of the source
  bool look_ahead = true;       ///< decoder self-attention does not see the future
  bool target_padding = true;   ///< decoder self-attention does not see padding of the target
  bool cross_padding = true;    ///< cross-attention does not see padding of the source

  bool operator==(const MaskSettings&) const = default;

  /// The names of those that are off.
  std::vector<std::string> off() const;
};

/// The three masks that attention reads, and the two that decoder_combined is made of.
struct TransformerMasks {
  Mask encoder_padding = {};   ///< [B, 1, S] encoder self-attention: padding of the source
  Mask target_padding = {};    ///< [B, 1, T]
  Mask look_ahead = {};        ///< [1, T, T]
  Mask decoder_combined = {};  ///< [B, T, T] decoder self-attention: blocked where either of these two blocks
  Mask cross_padding = {};     ///< [B, 1, S] cross-attention, whose keys are source tokens: padding of the source again
};

/// The ids of padding.
struct PadIds {
  Id source = 0, target = 0;
};

/// The masks of a padded batch; those that are off block nothing. source [B, S], target_input [B, T].
TransformerMasks make_masks(const IdMatrix& source, const IdMatrix& target_input, PadIds pad,
                            const MaskSettings& on = {}, TransformerMasks reused = {});

}  // namespace glassformer
