#pragma once

#include <cstdint>

namespace glassformer {

/// Trains a tiny model for three updates and returns a digest of its weights. If it is not the same as elsewhere, this
/// program has another version of the arithmetic (docs/arithmetic.md), or this machine or build computes wrong results.
std::uint64_t arithmetic_digest();

}  // namespace glassformer
