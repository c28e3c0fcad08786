#pragma once

#include <cmath>
#ifdef __wasm__
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
/// The first two of four floats. Their product is exact in double precision. The sum is rounded to odd: if it is
/// inexact, to that of its two neighbours whose last bit is 1. The float nearest to it is then the one nearest to a b +
/// c (Boldo & Melquiond 2008): the 53 bits of a double are at least two more than the 24 of a float.
[[gnu::always_inline]] inline v128_t fma_of_two(v128_t a, v128_t b, v128_t c) {
  const v128_t product = wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(a), wasm_f64x2_promote_low_f32x4(b));
  const v128_t addend = wasm_f64x2_promote_low_f32x4(c);
  const v128_t sum = wasm_f64x2_add(product, addend);
  const v128_t of_product = wasm_f64x2_sub(sum, addend);  // from here: what rounding has lost (Knuth's two-sum)
  const v128_t rest =
      wasm_f64x2_add(wasm_f64x2_sub(product, of_product), wasm_f64x2_sub(addend, wasm_f64x2_sub(sum, of_product)));
  const v128_t zero = wasm_f64x2_const_splat(0);
  const v128_t one = wasm_i64x2_const_splat(1);
  const v128_t inexact = wasm_v128_or(wasm_f64x2_lt(rest, zero), wasm_f64x2_gt(rest, zero));  // not if it is NaN
  const v128_t even = wasm_i64x2_eq(wasm_v128_and(sum, one), zero);
  const v128_t to_odd = wasm_v128_or(wasm_i64x2_shr(wasm_v128_xor(rest, sum), 63), one);  // 1 away from 0, or -1
  return wasm_f32x4_demote_f64x2_zero(wasm_i64x2_add(sum, wasm_v128_and(to_odd, wasm_v128_and(inexact, even))));
}
[[gnu::always_inline]] inline v128_t fma_of_four(v128_t a, v128_t b, v128_t c) {
  const auto upper = [](v128_t x) { return wasm_i64x2_shuffle(x, x, 1, 1); };
  return wasm_i64x2_shuffle(fma_of_two(a, b, c), fma_of_two(upper(a), upper(b), upper(c)), 0, 2);
}
inline float fma(float a, float b, float c) {
  return wasm_f32x4_extract_lane(fma_of_two(wasm_f32x4_splat(a), wasm_f32x4_splat(b), wasm_f32x4_splat(c)), 0);
}
#else
using std::fma;
#endif

}  // namespace glassformer
