#pragma once

#include <cstdint>

#include "glassformer/numerics/matrix.hpp"

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
  /// The same for row n = (sentence * H + head) * T + query of the scores, which have `rows` = B * H * T rows, for any
  /// number of heads H. (If all sentences share the mask, the first term is 0; if all queries do, the second is.)
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

/// The elementwise maximum: blocks what either mask blocks. Dimensions of 1 are broadcast. \pre equal numbers of keys
Mask combined_mask(const Mask& a, const Mask& b, Mask reused = {});

}  // namespace glassformer
