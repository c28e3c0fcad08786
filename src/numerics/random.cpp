#include "numerics/random.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace glassformer {
namespace {

/// The four random words at place `counter` of a row.
r123::Philox4x32::ctr_type philox(const RandomRow& at, std::uint32_t counter) {
  // 64 bits of key: the seed (folded to 32 bits) and the update.
  const r123::Philox4x32::key_type key{{static_cast<std::uint32_t>(at.seed) ^ static_cast<std::uint32_t>(at.seed >> 32),
                                        at.update}};
  return r123::Philox4x32()({{counter, at.row, at.sentence, at.site}}, key);
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

void draw_kept(const RandomRow& coordinates, double rate, Eigen::Ref<Matrix<std::uint8_t>> kept) {
  assert(rate >= 0 && rate < 1 && coordinates.row % kRowsAtOnce == 0 && kept.rows() <= kRowsAtOnce);
  constexpr Index kLanes = 16;  // columns computed side by side: the compiler makes vectors of these loops
  const auto threshold = static_cast<std::uint32_t>(std::lround(rate * 0x1p16));  // 16 bits below it: dropped
  for (Index first = 0; first < kept.cols(); first += kLanes) {
    // A column has four words of 32 bits, which make eight halves, one for each row.
    std::uint32_t words[4][kLanes];
    for (Index j = 0; j < kLanes; ++j) {
      const r123::Philox4x32::ctr_type bits = philox(coordinates, static_cast<std::uint32_t>(first + j));
      for (std::size_t k = 0; k < 4; ++k) words[k][j] = bits[k];
    }
    std::uint8_t block[kRowsAtOnce][kLanes];
    for (Index k = 0; k < 4; ++k) {
      for (Index j = 0; j < kLanes; ++j) {
        block[2 * k][j] = (words[k][j] & 0xFFFF) >= threshold;
        block[2 * k + 1][j] = (words[k][j] >> 16) >= threshold;
      }
    }
    const auto size = static_cast<std::size_t>(std::min(kLanes, kept.cols() - first));
    for (Index r = 0; r < kept.rows(); ++r) std::memcpy(kept.row(r).data() + first, block[r], size);
  }
}

template void fill_uniform<float>(const RandomRow&, Index, float*);
template void fill_uniform<double>(const RandomRow&, Index, double*);

}  // namespace glassformer
