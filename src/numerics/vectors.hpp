#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>
#if defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__wasm__)
#include <wasm_simd128.h>
#endif

#include "glassformer/numerics/fma.hpp"
#include "glassformer/numerics/index.hpp"

/// The processor's vector registers, through a compiler extension: + and * work on all elements of a vector at once.
namespace glassformer {

/// The instructions that this file is compiled for, and the bytes per register. All give the same results.
#if defined(__AVX512F__)
inline constexpr const char* kInstructions = "avx512";
inline constexpr std::size_t kVectorBytes = 64;  // 32 registers
#elif defined(__FMA__)
inline constexpr const char* kInstructions = "avx2";
inline constexpr std::size_t kVectorBytes = 32;  // 16 registers
#else
#if defined(__aarch64__)
inline constexpr const char* kInstructions = "neon";
#elif defined(__wasm_relaxed_simd__)
inline constexpr const char* kInstructions = "wasm";
#else
inline constexpr const char* kInstructions = "portable";
#endif
inline constexpr std::size_t kVectorBytes = 16;
#endif

template <class Scalar>
inline constexpr Index kLanes = static_cast<Index>(kVectorBytes / sizeof(Scalar));  ///< elements per vector
/// The contents of one register.
template <class Scalar>
using Vector [[gnu::vector_size(kVectorBytes)]] = Scalar;

/// Loads a vector from memory, at any alignment.
template <class Scalar>
Vector<Scalar> load(const Scalar* from) {
  Vector<Scalar> vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
/// Stores a vector to memory, at any alignment.
template <class Scalar>
void store(auto vector, Scalar* to) {
  std::memcpy(to, &vector, sizeof vector);
}

/// a b + c, rounded once.
template <class Scalar>
[[gnu::always_inline]] inline Vector<Scalar> multiply_add(Vector<Scalar> a, Vector<Scalar> b, Vector<Scalar> c) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Scalar) == 4) {
    return Vector<Scalar>(_mm512_fmadd_ps(__m512(a), __m512(b), __m512(c)));
  } else {
    return Vector<Scalar>(_mm512_fmadd_pd(__m512d(a), __m512d(b), __m512d(c)));
  }
#elif defined(__FMA__)
  if constexpr (sizeof(Scalar) == 4) {
    return Vector<Scalar>(_mm256_fmadd_ps(__m256(a), __m256(b), __m256(c)));
  } else {
    return Vector<Scalar>(_mm256_fmadd_pd(__m256d(a), __m256d(b), __m256d(c)));
  }
#elif defined(__aarch64__)
  if constexpr (sizeof(Scalar) == 4) {
    return Vector<Scalar>(vfmaq_f32(float32x4_t(c), float32x4_t(a), float32x4_t(b)));
  } else {
    return Vector<Scalar>(vfmaq_f64(float64x2_t(c), float64x2_t(a), float64x2_t(b)));
  }
#elif defined(__wasm_relaxed_simd__)  // rounded once if the processor has FMA; the page checks that
  if constexpr (sizeof(Scalar) == 4) {
    return Vector<Scalar>(wasm_f32x4_relaxed_madd(v128_t(a), v128_t(b), v128_t(c)));
  } else {
    return Vector<Scalar>(wasm_f64x2_relaxed_madd(v128_t(a), v128_t(b), v128_t(c)));
  }
#else
#ifdef __wasm__
  if constexpr (sizeof(Scalar) == 4) {
    return Vector<Scalar>(fma_of_four(v128_t(a), v128_t(b), v128_t(c)));
  }
#endif
  for (Index i = 0; i < kLanes<Scalar>; ++i) {
    c[i] = fma(a[i], b[i], c[i]);
  }
  return c;
#endif
}

#ifdef __AVX512F__
/// A bit mask that selects the first `count` elements of a vector.
template <class Scalar>
auto mask_of_first(Index count) {
  return static_cast<__mmask16>((1U << std::clamp<Index>(count, 0, kLanes<Scalar>)) - 1);
}
#endif

/// Loads the first `count` elements from memory (none if negative, all if at least kLanes) and the rest from `filling`.
/// With AVX-512 this is one instruction; reading back a vector assembled in memory takes longer.
template <class Scalar>
Vector<Scalar> load_first(Index count, const Scalar* from, Vector<Scalar> filling = Vector<Scalar>{}) {
  if (count >= kLanes<Scalar>) {
    return load(from);
  }
#ifdef __AVX512F__
  if constexpr (sizeof(Scalar) == 4) {
    return Vector<Scalar>(_mm512_mask_loadu_ps(__m512(filling), mask_of_first<Scalar>(count), from));
  } else {
    return Vector<Scalar>(_mm512_mask_loadu_pd(__m512d(filling), __mmask8(mask_of_first<Scalar>(count)), from));
  }
#else
  if (count > 0) {
    std::memcpy(&filling, from, static_cast<std::size_t>(count) * sizeof(Scalar));
  }
  return filling;
#endif
}
/// Stores the first `count` elements to memory (none if negative, all if at least kLanes).
template <class Scalar>
void store_first(Index count, Vector<Scalar> vector, Scalar* to) {
  if (count >= kLanes<Scalar>) {
    return store<Scalar>(vector, to);
  }
#ifdef __AVX512F__
  if constexpr (sizeof(Scalar) == 4) {
    _mm512_mask_storeu_ps(to, mask_of_first<Scalar>(count), __m512(vector));
  } else {
    _mm512_mask_storeu_pd(to, __mmask8(mask_of_first<Scalar>(count)), __m512d(vector));
  }
#else
  if (count > 0) {
    std::memcpy(to, &vector, static_cast<std::size_t>(count) * sizeof(Scalar));
  }
#endif
}

/// In each pair of blocks of `half` elements, a gets a's and b's first blocks, and b gets a's and b's second blocks.
template <Index half, class Scalar, std::size_t... i>
[[gnu::always_inline]] inline void exchange_blocks(auto& a, auto& b, std::index_sequence<i...>) {
  constexpr auto kSize = static_cast<std::size_t>(kLanes<Scalar>);
  constexpr auto kHalf = static_cast<std::size_t>(half);
  const auto upper = __builtin_shufflevector(a, b, ((i & kHalf) != 0 ? kSize + i - kHalf : i)...);
  const auto lower = __builtin_shufflevector(a, b, ((i & kHalf) != 0 ? kSize + i : i + kHalf)...);
  a = upper;
  b = lower;
}

/// Transposes a square that has as many rows as a vector has elements. Each stage swaps the off-diagonal blocks: first
/// the quarters of the whole square, then those of each quarter, and so on. The function is inlined so that the whole
/// square stays in registers.
template <class Scalar, Index half = kLanes<Scalar> / 2>
[[gnu::always_inline]] inline void transpose_square(Vector<Scalar>* rows) {
  constexpr Index kSize = kLanes<Scalar>;
#pragma GCC unroll 16
  for (Index i = 0; i < kSize; ++i) {
    if ((i & half) != 0) {
      continue;
    }
    exchange_blocks<half, Scalar>(rows[i], rows[i + half], std::make_index_sequence<static_cast<std::size_t>(kSize)>());
  }
  if constexpr (half > 1) {
    transpose_square<Scalar, half / 2>(rows);
  }
}

}  // namespace glassformer
