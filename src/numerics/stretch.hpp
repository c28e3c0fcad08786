#pragma once

#include <algorithm>
#include <concepts>

#include "numerics/matrix.hpp"
#include "numerics/vectors.hpp"

/// Rows in stretches of sixteen numbers. The processor handles a whole stretch in one or a few vector operations, exp
/// included. The last stretch of a row is filled up with numbers that change nothing. So the bits of a result depend
/// neither on where in memory the row begins, nor on what lies behind its end.
namespace glassformer {

inline constexpr Index kStretch = 16;  ///< numbers of a stretch

/// A stretch, which knows element-wise arithmetic.
template <std::floating_point Scalar>
using Stretch = Eigen::Array<Scalar, kStretch, 1>;

/// row[j] .. row[j + 15]; what lies at `size` or beyond is `filling`.
template <std::floating_point Scalar>
Stretch<Scalar> load_stretch(const Scalar* row, Index j, Index size, Scalar filling) {
  if (j + kStretch <= size) return Eigen::Map<const Stretch<Scalar>>(row + j);
  Stretch<Scalar> stretch;
  for (Index k = 0; k < kStretch; k += kLanes<Scalar>) {
    const Index count = std::clamp<Index>(size - j - k, 0, kLanes<Scalar>);
    store(load_part(row + j + k, count, filling), stretch.data() + k);
  }
  return stretch;
}

/// Writes back what of the stretch belongs to the row.
template <std::floating_point Scalar>
void store_stretch(const Stretch<Scalar>& stretch, Scalar* row, Index j, Index size) {
  if (j + kStretch <= size) {
    Eigen::Map<Stretch<Scalar>>(row + j) = stretch;
    return;
  }
  for (Index k = 0; k < kStretch; k += kLanes<Scalar>) {
    const Index count = std::clamp<Index>(size - j - k, 0, kLanes<Scalar>);
    store_part<Scalar>(load(stretch.data() + k), count, row + j + k);
  }
}

}  // namespace glassformer
