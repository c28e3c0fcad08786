#include "glassformer/numerics/random.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "glassformer/numerics/philox.hpp"

namespace glassformer {
namespace {

constexpr Index kColumns = 32;  // computed at a time

/// The four random words of kColumns consecutive columns: Philox of the counters {first + j, row, sentence, site} with
/// the key {seed (folded to 32 bits), update}.
void draw_words(const RandomRow& at, std::uint32_t first, std::uint32_t (&words)[4][kColumns]) {
  for (Index j = 0; j < kColumns; ++j) {
    words[0][j] = first + static_cast<std::uint32_t>(j);
    words[1][j] = at.row;
    words[2][j] = at.sentence;
    words[3][j] = at.site;
  }
  philox(static_cast<std::uint32_t>(at.seed ^ at.seed >> 32), at.update, words);
}

}  // namespace

std::uint32_t row_in_group(Index group, Index position) {
  assert(position < kMostPositions && group < kMostGroups);
  return static_cast<std::uint32_t>((group << kPositionBits) | position);
}

void fill_uniform(const RandomRow& coordinates, Index size, double* numbers) {
  for (Index first = 0; first < size; first += 4 * kColumns) {
    std::uint32_t words[4][kColumns];
    draw_words(coordinates, static_cast<std::uint32_t>(first / 4), words);
    // Only the upper 24 bits: they fit into a float without rounding, which could give 1.
    for (Index j = 0; j < std::min(4 * kColumns, size - first); ++j) {
      numbers[first + j] = (words[j % 4][j / 4] >> 8) * 0x1p-24;
    }
  }
}

void draw_kept(const RandomRow& coordinates, double rate, MatrixView<std::uint8_t> kept) {
  assert(rate >= 0 && rate < 1 && coordinates.row % kRowsAtOnce == 0 && kept.rows() <= kRowsAtOnce);
  const auto threshold = static_cast<std::uint32_t>(std::lround(rate * 0x1p16));  // 16-bit values below it are dropped
  for (Index first = 0; first < kept.cols(); first += kColumns) {
    std::uint32_t words[4][kColumns];
    draw_words(coordinates, static_cast<std::uint32_t>(first), words);
    // Each column has four 32-bit words, that is, eight 16-bit halves: one for each row.
    for (Index r = 0; r < kept.rows(); ++r) {
      std::uint8_t bytes[kColumns];
      const int shift = r % 2 == 0 ? 0 : 16;
      for (Index j = 0; j < kColumns; ++j) {
        bytes[j] = (words[r / 2][j] >> shift & 0xFFFF) >= threshold;
      }
      std::copy_n(bytes, std::min(kColumns, kept.cols() - first), kept.row(r).data() + first);
    }
  }
}

}  // namespace glassformer
