#pragma once

#include "layers/masks.hpp"

namespace glassformer::seeds {

/// Blocked as the matrix of seed 002 is, for v = (1, .., 1, 0, .., 0) with `ones` ones: row by row one more key is
/// visible, beginning with `ones` of them. For a causal mask with a prefix, which it is meant to be, that is too many.
inline Mask shifted_mask(Index length, Index ones) {
  Mask mask = all_visible(1, length, length);
  for (Index query = 0; query < length; ++query) {
    for (Index key = 0; key < length; ++key) mask.blocked(query, key) = key >= query + ones;
  }
  return mask;
}

}  // namespace glassformer::seeds
