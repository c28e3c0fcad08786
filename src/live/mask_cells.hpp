#pragma once

#include <cstdint>
#include <span>

#include "glassformer/batching/batch.hpp"
#include "glassformer/model/masks.hpp"

namespace glassformer {

/// The masks that a page has made for a batch: a byte for each cell (1 = blocked) of encoder_padding [B, S, S],
/// decoder_combined [B, T, T] and cross_padding [B, T, S], one after the other. Refuses another number of cells, and
/// other bytes than 0 and 1.
TransformerMasks masks_of_cells(std::span<const std::uint8_t> cells, const Batch& batch);

}  // namespace glassformer
