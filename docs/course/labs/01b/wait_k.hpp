#pragma once

#include "glassformer/layers/masks.hpp"

namespace glassformer {

/// The mask of cross-attention for simultaneous translation with the wait-k policy (Ma et al. 2019, "STACL", ACL):
/// query t, counted from 0, sees only the first t + k source tokens. Padding is not a token: it is blocked, and not
/// counted.
///
/// Makes a mask [B, T, S] from source [B, S], for T = `queries`. A query that may not see any token sees nothing.
/// \pre k >= 0
Mask wait_k_mask(const IdMatrix& source, Id pad, Index queries, Index k, Mask reused = {});

}  // namespace glassformer
