#pragma once

#include <cstdint>

#include "glassformer/numerics/views.hpp"

/// Random numbers as a function of their coordinates: the same bits on any machine, on any thread and in any order. The
/// generator, Philox, has no state.
namespace glassformer {

/// The coordinates of one row of random numbers.
struct RandomRow {
  std::uint64_t seed = 0;      ///< of the run
  std::uint32_t update = 0;    ///< the number of the training step (0: before training)
  std::uint32_t site = 0;      ///< which place in the model draws them
  std::uint32_t sentence = 0;  ///< which sentence of the corpus
  std::uint32_t row = 0;       ///< which row of the sentence or, at initialisation, of the weight matrix
};

inline constexpr int kPositionBits = 20;                                ///< low bits of a row number: its position
inline constexpr Index kMostPositions = Index{1} << kPositionBits;      ///< in a group
inline constexpr Index kMostGroups = Index{1} << (32 - kPositionBits);  ///< in a sentence (the high bits)

/// The number, within the sentence, of row `position` of `group`. A group is, for example, an attention head.
/// \pre position < kMostPositions and group < kMostGroups
std::uint32_t row_in_group(Index group, Index position);

/// Fills numbers[0] .. numbers[size - 1]: each is uniform in [0, 1) and a multiple of 2^-24.
void fill_uniform(const RandomRow& coordinates, Index size, double* numbers);

inline constexpr Index kRowsAtOnce = 8;  ///< dropout rows per generator call

/// kept(r, j) is 0 with probability `rate`, rounded to a multiple of 2^-16, and 1 otherwise. kept [8 or fewer, cols]
/// holds consecutive rows. `coordinates` are those of the first row, whose number is a multiple of 8.
void draw_kept(const RandomRow& coordinates, double rate, MatrixView<std::uint8_t> kept);

}  // namespace glassformer
