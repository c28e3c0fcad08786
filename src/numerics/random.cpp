#include "numerics/random.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <cassert>

namespace glassformer {
namespace {

/// Calls use(j, bits) for j = 0 .. size - 1 with 32 random bits each; one call of Philox gives four of them.
template <class Use>
void for_each_bits(const RandomRow& at, Index size, const Use& use) {
  // 64 bits of key: the seed (folded to 32 bits) and the update.
  const r123::Philox4x32::key_type key{{static_cast<std::uint32_t>(at.seed) ^ static_cast<std::uint32_t>(at.seed >> 32),
                                        at.update}};
  for (Index j = 0; j < size; j += 4) {
    const r123::Philox4x32::ctr_type counter{{static_cast<std::uint32_t>(j / 4), at.row, at.sentence, at.site}};
    const r123::Philox4x32::ctr_type bits = r123::Philox4x32()(counter, key);
    for (Index k = 0; k < std::min<Index>(4, size - j); ++k) use(j + k, bits[static_cast<std::size_t>(k)]);
  }
}

}  // namespace

template <std::floating_point Scalar>
void fill_uniform(const RandomRow& coordinates, Index size, Scalar* numbers) {
  for_each_bits(coordinates, size, [numbers](Index j, std::uint32_t bits) {
    // The upper 24 bits fit a float without rounding, which could reach 1.
    numbers[j] = static_cast<Scalar>(bits >> 8) * static_cast<Scalar>(0x1p-24);
  });
}

template <std::floating_point Scalar>
void fill_dropout(const RandomRow& coordinates, double rate, Index size, Scalar* numbers) {
  assert(rate >= 0 && rate < 1);
  const auto threshold = static_cast<std::uint32_t>(rate * 0x1p32);  // bits < threshold: dropped
  const auto keep = static_cast<Scalar>(1 / (1 - rate));
  for_each_bits(coordinates, size,
                [=](Index j, std::uint32_t bits) { numbers[j] = bits < threshold ? Scalar{0} : keep; });
}

#define GLASSFORMER_INSTANTIATE(Scalar)                                     \
  template void fill_uniform<Scalar>(const RandomRow&, Index, Scalar*);     \
  template void fill_dropout<Scalar>(const RandomRow&, double, Index, Scalar*);
GLASSFORMER_INSTANTIATE(float)
GLASSFORMER_INSTANTIATE(double)
#undef GLASSFORMER_INSTANTIATE

}  // namespace glassformer
