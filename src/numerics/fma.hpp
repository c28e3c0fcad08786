#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#ifdef __wasm_relaxed_simd__
#include <wasm_simd128.h>
#endif

namespace glassformer {

// a b + c, rounded once. The C library of WebAssembly sometimes rounds floats twice, so there are other ways.
#if defined(__wasm_relaxed_simd__)
inline float fma(float a, float b, float c) {
  return wasm_f32x4_extract_lane(wasm_f32x4_relaxed_madd(wasm_f32x4_splat(a), wasm_f32x4_splat(b), wasm_f32x4_splat(c)),
                                 0);
}
inline double fma(double a, double b, double c) {
  return wasm_f64x2_extract_lane(wasm_f64x2_relaxed_madd(wasm_f64x2_splat(a), wasm_f64x2_splat(b), wasm_f64x2_splat(c)),
                                 0);
}
#elif defined(__wasm__)
inline double fma(double a, double b, double c) { return std::fma(a, b, c); }
/// The product of two floats is exact in double precision. The sum is rounded to odd: if it is inexact, to that of its
/// two neighbours whose last bit is 1. The float nearest to it is then the one nearest to a b + c (Boldo & Melquiond
/// 2008).
inline float fma(float a, float b, float c) {
  const double product = static_cast<double>(a) * b;
  const double sum = product + c;
  const double of_product = sum - c;
  const double rest = (product - of_product) + (c - (sum - of_product));  // what rounding has lost (Knuth's two-sum)
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (!(rest != 0) || (bits & 1) != 0 || !std::isfinite(sum)) {
    return static_cast<float>(sum);
  }
  return static_cast<float>(std::bit_cast<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1));
}
#else
using std::fma;
#endif

}  // namespace glassformer
