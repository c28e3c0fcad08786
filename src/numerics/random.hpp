#pragma once

#include <concepts>
#include <cstdint>

#include "numerics/matrix.hpp"

/// Random numbers as a function of their coordinates, which give the same bits on any machine and thread, in any order:
/// the generator has no state (Philox4x32-10; Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3").
namespace glassformer {

/// The coordinates of one row of random numbers.
struct RandomRow {
  std::uint64_t seed = 0;      ///< of the run
  std::uint32_t update = 0;    ///< the number of the training step (0: before training)
  std::uint32_t site = 0;      ///< which place in the model asks
  std::uint32_t sentence = 0;  ///< which sentence of the corpus
  std::uint32_t row = 0;       ///< which row of the sentence's or, at the start, of the weight matrix
};

/// The number of a row of the sentence that is the `position`-th of a group, such as an attention head.
/// \pre position < 2^20 and group < 2^12
std::uint32_t row_in_group(Index group, Index position);

/// numbers[j] is uniform in [0, 1), a multiple of 2^-24; j = 0 .. size - 1.
template <std::floating_point Scalar>
void fill_uniform(const RandomRow& coordinates, Index size, Scalar* numbers);

inline constexpr Index kRowsAtOnce = 8;  ///< rows of dropout that one call of the generator serves

/// kept(r, j) is 0 with probability `rate`, rounded to a multiple of 2^-16, else 1. The rows are up to 8 that follow
/// each other; the coordinates are those of the first, whose number is a multiple of 8. kept [8 or fewer, cols]
void draw_kept(const RandomRow& coordinates, double rate, MatrixView<std::uint8_t> kept);

}  // namespace glassformer
