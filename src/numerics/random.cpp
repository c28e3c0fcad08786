#include "numerics/random.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace glassformer {
namespace {

/// The 64-bit key: the seed (folded to 32 bits) and the update.
r123::Philox4x32::key_type key_of(const RandomRow& at) {
  return {{static_cast<std::uint32_t>(at.seed) ^ static_cast<std::uint32_t>(at.seed >> 32), at.update}};
}

constexpr Index kColumns = 32;  // computed at a time

/// The four random words of kColumns consecutive columns: words[k][j] becomes the k-th word that Random123 gives for
/// the counter {first + j, row, sentence, site}. Philox is written out so that the compiler can vectorize it.
void philox(const RandomRow& at, std::uint32_t first, std::uint32_t (&words)[4][kColumns]) {
  r123::Philox4x32::key_type key = key_of(at);
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

template <std::floating_point Scalar>
void fill_uniform(const RandomRow& coordinates, Index size, Scalar* numbers) {
  for (Index j = 0; j < size; j += 4) {
    const auto counter = static_cast<std::uint32_t>(j / 4);
    const r123::Philox4x32::ctr_type bits =
        r123::Philox4x32()({{counter, coordinates.row, coordinates.sentence, coordinates.site}}, key_of(coordinates));
    for (Index k = 0; k < std::min<Index>(4, size - j); ++k) {
      // The upper 24 bits fit into a float without rounding. Rounding could give 1.
      numbers[j + k] = static_cast<Scalar>(bits[static_cast<std::size_t>(k)] >> 8) * static_cast<Scalar>(0x1p-24);
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
      for (Index j = 0; j < kColumns; ++j) bytes[j] = (words[r / 2][j] >> shift & 0xFFFF) >= threshold;
      std::copy_n(bytes, std::min(kColumns, kept.cols() - first), kept.row(r).data() + first);
    }
  }
}

template void fill_uniform<float>(const RandomRow&, Index, float*);
template void fill_uniform<double>(const RandomRow&, Index, double*);

}  // namespace glassformer
