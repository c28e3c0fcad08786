#include "numerics/random.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace glassformer {
namespace {

constexpr Index kColumns = 32;  // computed at a time

/// The four random words of kColumns consecutive columns: words[k][j] becomes the k-th word that Random123 gives for
/// the counter {first + j, row, sentence, site} and the key {seed (folded to 32 bits), update}. Philox is written out
/// so that the compiler can vectorize it.
void philox(const RandomRow& at, std::uint32_t first, std::uint32_t (&words)[4][kColumns]) {
  std::uint32_t key[] = {static_cast<std::uint32_t>(at.seed ^ at.seed >> 32), at.update};
  for (Index j = 0; j < kColumns; ++j) {
    words[0][j] = first + static_cast<std::uint32_t>(j);
    words[1][j] = at.row;
    words[2][j] = at.sentence;
    words[3][j] = at.site;
  }
  for (int round = 0; round < philox4x32_rounds; ++round) {
    for (Index j = 0; j < kColumns; ++j) {
      const std::uint64_t left = std::uint64_t{words[0][j]} * PHILOX_M4x32_0;
      const std::uint64_t right = std::uint64_t{words[2][j]} * PHILOX_M4x32_1;
      words[0][j] = static_cast<std::uint32_t>(right >> 32) ^ words[1][j] ^ key[0];
      words[1][j] = static_cast<std::uint32_t>(right);
      words[2][j] = static_cast<std::uint32_t>(left >> 32) ^ words[3][j] ^ key[1];
      words[3][j] = static_cast<std::uint32_t>(left);
    }
    key[0] += PHILOX_W32_0;
    key[1] += PHILOX_W32_1;
  }
}

}  // namespace

std::uint32_t row_in_group(Index group, Index position) {
  constexpr int kPositionBits = 20;
  assert(position < Index{1} << kPositionBits && group < Index{1} << (32 - kPositionBits));
  return static_cast<std::uint32_t>((group << kPositionBits) | position);
}

void fill_uniform(const RandomRow& coordinates, Index size, double* numbers) {
  for (Index first = 0; first < size; first += 4 * kColumns) {
    std::uint32_t words[4][kColumns];
    philox(coordinates, static_cast<std::uint32_t>(first / 4), words);
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
    philox(coordinates, static_cast<std::uint32_t>(first), words);
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
