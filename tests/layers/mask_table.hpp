#pragma once

#include <cstdint>

#include "catch.hpp"
#include "glassformer/layers/masks.hpp"
#include "random_values.hpp"

namespace glassformer::example {

using MaskTable = Matrix<std::uint8_t>;

/// Checks a mask's shape, and every cell.
inline void check_mask(const Mask& mask, Index sentences, Index queries, const MaskTable& blocked) {
  CHECK(mask.sentences == sentences);
  CHECK(mask.queries == queries);
  CHECK(mask.keys() == blocked.cols());
  CHECK(same_bits(mask.blocked, blocked));
}

}  // namespace glassformer::example
