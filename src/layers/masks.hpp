#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "numerics/matrix.hpp"

/// Masks are values you can inspect. 1 means blocked, 0 visible; rows are queries, columns are keys. A padding mask
/// blocks keys, not queries: padding queries get results like any other query, and the loss ignores them.
///
/// Functions that make a mask can reuse the memory of an older one, `reused`, so a training step allocates nothing.
namespace glassformer {

/// Which keys each query of each sentence must not see.
struct Mask {
  Index sentences = 1;           ///< B, or 1 if all sentences share the mask
  Index queries = 1;             ///< T, or 1 if all queries share the mask
  Buffer<std::uint8_t> blocked;  ///< [sentences * queries, keys], 1 = blocked

  Index keys() const { return blocked.cols(); }
  /// The row of `blocked` for query `query` of sentence `sentence`.
  Index row(Index sentence, Index query) const {
    return (sentences == 1 ? 0 : sentence) * queries + (queries == 1 ? 0 : query);
  }
  /// The same for row n = (sentence * H + head) * T + query of the scores. With H heads, the scores have `rows` =
  /// B * H * T rows: rows / B for each sentence.
  Index row_for(Index n, Index rows) const { return n / (rows / sentences) * queries + n % queries; }
  bool is_blocked(Index sentence, Index query, Index key) const { return blocked(row(sentence, query), key) != 0; }
  /// Whether the mask fits B sentences with T queries each.
  bool fits(Index B, Index T) const { return (sentences == B || sentences == 1) && (queries == T || queries == 1); }
};

/// Blocks the keys that are padding: [B, 1, S] from ids [B, S].
Mask padding_mask(const IdMatrix& ids, Id pad, Mask reused = {});

/// Blocks the keys that are in the query's future, key > query: [1, T, T].
Mask look_ahead_mask(Index length, Mask reused = {});

/// Shows the first `prefix` (0 .. length) keys to all queries. Blocks all other keys in a query's future: [1, T, T].
Mask prefix_mask(Index length, Index prefix, Mask reused = {});

/// Blocks nothing: zeros [sentences, queries, keys].
Mask all_visible(Index sentences, Index queries, Index keys, Mask reused = {});

/// The mask itself if `on`; otherwise a mask of the same shape that blocks nothing.
Mask apply_switch(Mask mask, bool on);

/// The elementwise maximum: blocks what either mask blocks. Dimensions of 1 are broadcast. \pre equal numbers of keys
Mask combined_mask(const Mask& a, const Mask& b, Mask reused = {});

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

  /// The names of the masks that are off.
  std::vector<std::string> off() const;
};

/// The three masks that attention reads, and the two that make up decoder_combined.
struct TransformerMasks {
  Mask encoder_padding = {};   ///< [B, 1, S] encoder self-attention: source padding
  Mask target_padding = {};    ///< [B, 1, T]
  Mask look_ahead = {};        ///< [1, T, T]
  Mask decoder_combined = {};  ///< [B, T, T] decoder self-attention: blocks what either of the two above blocks
  Mask cross_padding = {};     ///< [B, 1, S] cross-attention: source padding again, because its keys are source tokens
};

/// The padding ids.
struct PadIds {
  Id source = 0, target = 0;
};

/// The masks of a padded batch. Masks that are off block nothing. source [B, S], target_input [B, T].
TransformerMasks make_masks(const IdMatrix& source, const IdMatrix& target_input, PadIds pad,
                            const MaskSettings& on = {}, TransformerMasks reused = {});

}  // namespace glassformer
