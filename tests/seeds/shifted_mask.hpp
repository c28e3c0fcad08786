#pragma once

#include "glassformer/layers/masks.hpp"

namespace glassformer::seeds {

/// The mask matrix of seed 002, for v = (1, .., 1, 0, .., 0) with `ones` ones: the first row shows `ones` keys, and
/// each further row one more. It is meant to be a causal mask with a prefix, but it shows too many keys.
inline Mask shifted_mask(Index length, Index ones) {
  Mask mask = all_visible(1, length, length);
  for (Index query = 0; query < length; ++query) {
    for (Index key = 0; key < length; ++key) {
      mask.blocked(query, key) = key >= query + ones;
    }
  }
  return mask;
}

}  // namespace glassformer::seeds
