#include "wait_k.hpp"

#include <cassert>
#include <utility>

namespace glassformer {

Mask wait_k_mask(const IdMatrix& source, Id pad, Index queries, Index k, Mask reused) {
  assert(k >= 0);
  Mask mask = all_visible(source.rows(), queries, source.cols(), std::move(reused));
  for (Index b = 0; b < source.rows(); ++b) {
    for (Index t = 0; t < queries; ++t) {
      const auto blocked = mask.blocked.row(mask.row(b, t));
      Index tokens = 0;  // up to this key; padding is not a token
      for (Index s = 0; s < source.cols(); ++s) {
        const bool is_padding = source(b, s) == pad;
        tokens += is_padding ? 0 : 1;
        blocked[s] = is_padding || tokens > t + k;
      }
    }
  }
  return mask;
}

}  // namespace glassformer
