#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "numerics/matrix.hpp"

/// The processor's vector registers, by the compiler's own extension: + and * work on all numbers of a vector at once.
namespace glassformer {

/// Bytes of a register, of what this file is compiled for.
#if defined(__AVX512F__)
inline constexpr std::size_t kVectorBytes = 64;  // and 32 registers
#elif defined(__AVX__)
inline constexpr std::size_t kVectorBytes = 32;  // and 16
#else
inline constexpr std::size_t kVectorBytes = 16;
#endif

template <class Scalar>
inline constexpr Index kLanes = static_cast<Index>(kVectorBytes / sizeof(Scalar));  ///< numbers of a vector
/// A register full of numbers.
template <class Scalar>
using Vector [[gnu::vector_size(kVectorBytes)]] = Scalar;

/// From memory, at any address.
template <class Scalar>
Vector<Scalar> load(const Scalar* from) {
  Vector<Scalar> vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
/// And back.
template <class Scalar>
void store(auto vector, Scalar* to) {
  std::memcpy(to, &vector, sizeof vector);
}

/// The first `count` numbers of a vector alone, from memory, the others being `filling`. Nothing beyond them is
/// touched. Where the processor has an instruction for it, compilers do not find that out by themselves.
template <class Scalar>
Vector<Scalar> load_part(const Scalar* from, Index count, Scalar filling) {
#if defined(__AVX512F__)
  const unsigned mask = (1U << count) - 1;
  const Vector<Scalar> fillings = filling - Vector<Scalar>{};  // not +, which would make 0 of -0
  if constexpr (sizeof(Scalar) == 4) return _mm512_mask_loadu_ps(fillings, static_cast<__mmask16>(mask), from);
  else return _mm512_mask_loadu_pd(fillings, static_cast<__mmask8>(mask), from);
#else
  Vector<Scalar> vector;
  for (Index k = 0; k < kLanes<Scalar>; ++k) vector[k] = k < count ? from[k] : filling;
  return vector;
#endif
}
/// And back.
template <class Scalar>
void store_part(Vector<Scalar> vector, Index count, Scalar* to) {
#if defined(__AVX512F__)
  const unsigned mask = (1U << count) - 1;
  if constexpr (sizeof(Scalar) == 4) _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask), vector);
  else _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask), vector);
#else
  for (Index k = 0; k < count; ++k) to[k] = vector[k];
#endif
}

/// a * b in 64 bits, of the lower 32 bits of each; the upper ones do not matter. Compilers do not find
/// this instruction either.
inline Vector<std::uint64_t> multiply_lower_halves(Vector<std::uint64_t> a, Vector<std::uint64_t> b) {
#if defined(__AVX512F__)
  return (Vector<std::uint64_t>)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (Vector<std::uint64_t>)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__) && !defined(__AVX__)
  return (Vector<std::uint64_t>)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF);
#endif
}

/// Of each pair of blocks of `half` numbers: a's first and b's first (upper), a's second and b's second (lower).
template <Index half, class Scalar, std::size_t... i>
[[gnu::always_inline]] inline void exchange_blocks(auto& a, auto& b, std::index_sequence<i...>) {
  constexpr auto kSize = static_cast<std::size_t>(kLanes<Scalar>), kHalf = static_cast<std::size_t>(half);
  const auto upper = __builtin_shufflevector(a, b, ((i & kHalf) != 0 ? kSize + i - kHalf : i)...);
  const auto lower = __builtin_shufflevector(a, b, ((i & kHalf) != 0 ? kSize + i : i + kHalf)...);
  a = upper;
  b = lower;
}

/// Transposes a square of as many rows as a vector has numbers. At each stage the off-diagonal blocks change places:
/// first the quarters of the whole square, then those of each quarter, and so on. It is done in registers, hence within
/// the function that calls it.
template <class Scalar, Index half = kLanes<Scalar> / 2>
[[gnu::always_inline]] inline void transpose_square(Vector<Scalar>* rows) {
  constexpr Index kSize = kLanes<Scalar>;
#pragma GCC unroll 16
  for (Index i = 0; i < kSize; ++i) {
    if ((i & half) != 0) continue;
    exchange_blocks<half, Scalar>(rows[i], rows[i + half], std::make_index_sequence<static_cast<std::size_t>(kSize)>());
  }
  if constexpr (half > 1) transpose_square<Scalar, half / 2>(rows);
}

}  // namespace glassformer
