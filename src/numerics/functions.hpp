#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "glassformer/numerics/fma.hpp"

/// Functions with the same bits on every processor, unlike those of the standard library and of Eigen. They use only
/// operations that IEEE 754 rounds correctly: + - * / and fma(a, b, c) = a b + c, rounded once. docs/arithmetic.md
/// lists every step and the largest errors. exp and erfc have no branches, so that compilers vectorize loops of them.
///
/// exp and erfc are compiled with their caller's options. Some compilers fuse a product and a sum that follow each
/// other into one fma. To prevent this, a product that is added to something is an fma itself, such as fma(z, z, 0).
namespace glassformer {

#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "Expected IEEE 754 arithmetic; these options or this processor change results (docs/arithmetic.md)"
#endif

/// The constants of exp and erfc. exp[] and erfc[] are coefficients of minimax polynomials (Remez's algorithm).
template <std::floating_point Scalar>
struct FunctionConstants;
template <>
struct FunctionConstants<float> {
  using Bits = std::int32_t;
  static constexpr int mantissa_bits = 23, exponent_bias = 127;
  static constexpr float to_integer = 0x1.8p23F;       // adding and subtracting it rounds to an integer
  static constexpr float lowest = -104, highest = 89;  // beyond them, exp is 0 or infinite
  static constexpr float log2_e = 0x1.715476p0F, ln_2 = 0x1.62e4p-1F, ln_2_rest = 0x1.7f7d1cp-20F;
  static constexpr float exp[] = {0.499999934178F, 0.166665200703F, 0.0416683915718F, 0.00836878496527F,
                                  0.00138146957592F};
  static constexpr float erfc_middle = 0.57692307692F, erfc_highest = 11;
  static constexpr float erfc[] = {-0.56736547644F,  1.3675242858F,  0.09851728513F,   -0.40640263339F,
                                   -0.044203657756F, 0.29754289245F, -0.041158239699F, -0.25908360061F,
                                   0.13117722561F,   0.19472403986F, -0.13679757208F,  -0.086430103094F};
};
template <>
struct FunctionConstants<double> {
  using Bits = std::int64_t;
  static constexpr int mantissa_bits = 52, exponent_bias = 1023;
  static constexpr double to_integer = 0x1.8p52, lowest = -746, highest = 710;
  static constexpr double log2_e = 0x1.71547652b82fep0, ln_2 = 0x1.62e42fefa38p-1, ln_2_rest = 0x1.ef35793c7673p-45;
  static constexpr double exp[] = {0.50000000000000107308,   0.16666666666666410732,   0.041666666666529096893,
                                   0.008333333333495212948,  0.0013888888943948748911, 0.00019841269505849163478,
                                   2.4801492733880429794e-5, 2.755758620442769107e-6,  2.7630389539301539855e-7,
                                   2.5000378268109633863e-8};
  static constexpr double erfc_middle = 0.53333333333333333, erfc_highest = 28;
  static constexpr double erfc[] = {
      -0.62675486601084853075, 1.3566391463443269968,   0.15091006847813062514,  -0.39301849827183146135,
      -0.10941120600824180493, 0.29788101587136900362,  0.042387185176245445771, -0.29701280726761095666,
      0.059247606408844113638, 0.29368570422089886547,  -0.20327778938824740655, -0.22401505528075922619,
      0.3563716028981701127,   0.040141714138064467962, -0.42820639699803892978, 0.23878756136580359857,
      0.30755056276451701583,  -0.4766153231314832872,  0.024468674770920952597, 0.47469020930302380594,
      -0.3863387708933917732,  -0.18527943777609990117, 0.49131656484360488538,  -0.12262260605978877451,
      -0.28127951353920715462, 0.13789992134167631561,  0.049814410815180048127};
};

/// coefficients[0] + coefficients[1] x + coefficients[2] x^2 + ... (Horner's method)
template <std::floating_point Scalar, std::size_t size>
[[gnu::always_inline]] inline Scalar polynomial(const Scalar (&coefficients)[size], Scalar x) {
  Scalar sum = coefficients[size - 1];
#pragma GCC unroll 32
  for (std::size_t i = size - 1; i > 0; --i) {
    sum = fma(sum, x, coefficients[i - 1]);
  }
  return sum;
}

/// exp(x + rest), where |rest| is small.
template <std::floating_point Scalar>
[[gnu::always_inline]] inline Scalar exp(Scalar x, Scalar rest) {
  using Constants = FunctionConstants<Scalar>;
  using Bits = typename Constants::Bits;
  x = Constants::lowest > x ? Constants::lowest : x;
  x = Constants::highest < x ? Constants::highest : x;
  // x = n ln 2 + r, n an integer, |r| <= ln 2 / 2.  exp(x) = 2^n exp(r).  (ln_2 has few bits, so n ln_2 is exact.)
  const Scalar shifted = fma(x, Constants::log2_e, Constants::to_integer);
  const Scalar n = shifted - Constants::to_integer;
  const Scalar r = fma(n, -Constants::ln_2_rest, fma(n, -Constants::ln_2, x)) + rest;
  const Scalar y = fma(r * r, polynomial(Constants::exp, r), r) + 1;
  // 2^n in two steps, because the number may be denormal, or nearly too large.
  const auto power_of_2 = [](Bits k) {
    return std::bit_cast<Scalar>((k + Constants::exponent_bias) << Constants::mantissa_bits);
  };
  const Bits k = std::bit_cast<Bits>(shifted) - std::bit_cast<Bits>(Constants::to_integer);
  const Bits half = k >> 1;
  return y * power_of_2(half) * power_of_2(k - half);
}
template <std::floating_point Scalar>
[[gnu::always_inline]] inline Scalar exp(Scalar x) {
  return exp(x, Scalar{0});
}

/// The complementary error function, 2 / sqrt(pi) times the integral of exp(-t^2) from x to infinity. For x >= 0 it is
/// t exp(-x^2 + P(t)), t = 1 / (1 + x / 2), with a polynomial P; for x < 0 it is 2 - erfc(-x).
template <std::floating_point Scalar>
[[gnu::always_inline]] inline Scalar erfc(Scalar x) {
  using Constants = FunctionConstants<Scalar>;
  Scalar z = x < 0 ? -x : x;
  z = z > Constants::erfc_highest ? Constants::erfc_highest : z;
  const Scalar t = 1 / (1 + z / 2);
  const Scalar square = fma(z, z, Scalar{0});
  const Scalar square_rest = fma(z, z, -square);
  const Scalar p = polynomial(Constants::erfc, t - Constants::erfc_middle);
  const Scalar exponent = p - square;
  const Scalar y = fma(t, exp(exponent, (p - (exponent + square)) - square_rest), Scalar{0});
  return x < 0 ? 2 - y : y;
}

/// Minus infinity for 0, NaN for negative numbers.
double log(double x);
/// x must be finite and at least 0, y finite, and y at least 0 if x is 0.
double pow(double x, double y);
/// For |x| up to a billion; accurate up to a million.
double sin(double x);
double cos(double x);

}  // namespace glassformer
