#include "glassformer/layers/masks.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace glassformer {

Mask padding_mask(const IdMatrix& ids, Id pad, Mask reused) {
  Mask mask = all_visible(ids.rows(), 1, ids.cols(), std::move(reused));
  for (Index b = 0; b < ids.rows(); ++b) {
    for (Index s = 0; s < ids.cols(); ++s) {
      mask.blocked(b, s) = ids(b, s) == pad;
    }
  }
  return mask;
}

Mask look_ahead_mask(Index length, Mask reused) { return prefix_mask(length, 0, std::move(reused)); }

Mask prefix_mask(Index length, Index prefix, Mask reused) {
  assert(0 <= prefix && prefix <= length);
  Mask mask = all_visible(1, length, length, std::move(reused));
  for (Index query = 0; query < length; ++query) {
    for (Index key = 0; key < length; ++key) {
      mask.blocked(query, key) = key > query && key >= prefix;
    }
  }
  return mask;
}

Mask all_visible(Index sentences, Index queries, Index keys, Mask reused) {
  reused.sentences = sentences;
  reused.queries = queries;
  reused.blocked.resize(sentences * queries, keys);
  reused.blocked.fill(0);
  return reused;
}

Mask combined_mask(const Mask& a, const Mask& b, Mask reused) {
  assert(a.keys() == b.keys());
  Mask mask =
      all_visible(std::max(a.sentences, b.sentences), std::max(a.queries, b.queries), a.keys(), std::move(reused));
  for (Index sentence = 0; sentence < mask.sentences; ++sentence) {
    for (Index query = 0; query < mask.queries; ++query) {
      const auto row_a = a.blocked.row(a.row(sentence, query));
      const auto row_b = b.blocked.row(b.row(sentence, query));
      const auto row = mask.blocked.row(mask.row(sentence, query));
      for (Index key = 0; key < mask.keys(); ++key) {
        row[key] = std::max(row_a[key], row_b[key]);
      }
    }
  }
  return mask;
}

}  // namespace glassformer
