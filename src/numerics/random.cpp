#include "numerics/random.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "numerics/vectors.hpp"

namespace glassformer {
namespace {

/// 64 bits of key: the seed (folded to 32 bits) and the update.
r123::Philox4x32::key_type key_of(const RandomRow& at) {
  return {{static_cast<std::uint32_t>(at.seed) ^ static_cast<std::uint32_t>(at.seed >> 32), at.update}};
}

/// The four random words at place `counter` of a row.
r123::Philox4x32::ctr_type philox(const RandomRow& at, std::uint32_t counter) {
  return r123::Philox4x32()({{counter, at.row, at.sentence, at.site}}, key_of(at));
}

using Words = Vector<std::uint64_t>;  // words of 32 bits; what is in the upper halves has no meaning
constexpr Index kWords = kLanes<std::uint64_t>;

/// The same for as many counters as a vector holds, side by side: words[k] becomes the k-th random word of each.
void philox(const RandomRow& at, Words counters, Words (&words)[4]) {
  r123::Philox4x32::key_type key = key_of(at);
  words[0] = counters;
  words[1] = Words{} + at.row;
  words[2] = Words{} + at.sentence;
  words[3] = Words{} + at.site;
#pragma GCC unroll 10
  for (int round = 0; round < philox4x32_rounds; ++round) {
    const Words left = multiply_lower_halves(words[0], Words{} + PHILOX_M4x32_0);
    const Words right = multiply_lower_halves(words[2], Words{} + PHILOX_M4x32_1);
    words[0] = (right >> 32) ^ words[1] ^ key[0];
    words[1] = right;
    words[2] = (left >> 32) ^ words[3] ^ key[1];
    words[3] = left;
    key[0] += PHILOX_W32_0;
    key[1] += PHILOX_W32_1;
  }
}

}  // namespace

template <std::floating_point Scalar>
void fill_uniform(const RandomRow& coordinates, Index size, Scalar* numbers) {
  for (Index j = 0; j < size; j += 4) {
    const r123::Philox4x32::ctr_type bits = philox(coordinates, static_cast<std::uint32_t>(j / 4));
    for (Index k = 0; k < std::min<Index>(4, size - j); ++k) {
      // The upper 24 bits fit a float without rounding, which could reach 1.
      numbers[j + k] = static_cast<Scalar>(bits[static_cast<std::size_t>(k)] >> 8) * static_cast<Scalar>(0x1p-24);
    }
  }
}

void draw_kept(const RandomRow& coordinates, double rate, MatrixView<std::uint8_t> kept) {
  assert(rate >= 0 && rate < 1 && coordinates.row % kRowsAtOnce == 0 && kept.rows() <= kRowsAtOnce);
  constexpr Index kColumns = 2 * kWords;
  using Bytes [[gnu::vector_size(kColumns)]] = std::uint8_t;
  const auto threshold = static_cast<std::uint32_t>(std::lround(rate * 0x1p16));  // 16 bits below it: dropped
  Words even_columns;
  for (Index j = 0; j < kWords; ++j) even_columns[j] = static_cast<std::uint64_t>(2 * j);
  for (Index first = 0; first < kept.cols(); first += kColumns) {
    Words even[4], odd[4];
    philox(coordinates, even_columns + static_cast<std::uint64_t>(first), even);
    philox(coordinates, even_columns + static_cast<std::uint64_t>(first + 1), odd);
    const Index size = std::min(kColumns, kept.cols() - first);
    // A column has four words of 32 bits, which make eight halves, one for each row.
#pragma GCC unroll 8
    for (Index r = 0; r < kRowsAtOnce; ++r) {
      if (r == kept.rows()) break;
      const auto words = (Vector<std::uint32_t>)(odd[r / 2] << 32 | (even[r / 2] & 0xFFFFFFFF));
      const auto half = r % 2 == 0 ? words & 0xFFFF : words >> 16;
      const auto bytes = __builtin_convertvector((Vector<std::uint32_t>)(half >= threshold) & 1, Bytes);
      std::uint8_t* const to = kept.row(r).data() + first;
      if (size == kColumns) std::memcpy(to, &bytes, sizeof bytes);
      else std::memcpy(to, &bytes, static_cast<std::size_t>(size));
    }
  }
}

template void fill_uniform<float>(const RandomRow&, Index, float*);
template void fill_uniform<double>(const RandomRow&, Index, double*);

}  // namespace glassformer
