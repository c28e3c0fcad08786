#include "glassformer/numerics/functions.hpp"

#include <cassert>
#include <limits>

namespace glassformer {
namespace {

constexpr double kLog[] = {0.66666666666667353819, 0.39999999999407485635, 0.28571428744142144956,
                           0.22222198378379663061, 0.18183575171374029725, 0.15313755592449085413,
                           0.14799067914629433112};
constexpr double kSin[] = {-0.16666666666666631652,  0.0083333333333223151659,  -0.00019841269829725213991,
                           2.7557313662060925078e-6, -2.5050753265066012346e-8, 1.5896504977315509278e-10};
constexpr double kCos[] = {0.041666666666666592018,   -0.001388888888887289513, 2.480158728874818769e-5,
                           -2.7557314148622972006e-7, 2.0875696572407160612e-9, -1.1358310478262175726e-11};

/// A logarithm in two parts, whose sum is more accurate than one number can be.
struct Logarithm {
  double large, small;
};

/// For finite x > 0.
Logarithm accurate_log(double x) {
  double exponent = 0;
  if (x < std::numeric_limits<double>::min()) {  // denormal
    x *= 0x1p54;
    exponent = -54;
  }
  // x = 2^exponent m, with m between sqrt(1/2) and sqrt(2)
  const auto bits = std::bit_cast<std::int64_t>(x);
  const std::int64_t k = (bits - std::bit_cast<std::int64_t>(0x1.6a09e667f3bcdp-1)) >> 52;
  const auto m = std::bit_cast<double>(bits - (k << 52));
  exponent += static_cast<double>(k);
  // log m = log((1 + s) / (1 - s)) = 2 s + s^3 (2/3 + 2/5 s^2 + ...), with s = (m - 1) / (m + 1) = f / t
  const double f = m - 1;
  const double t = 2 + f;
  const double t_rest = f - (t - 2);
  const double s = f / t;
  const double s_rest = (fma(-s, t, f) - s * t_rest) / t;
  const double square = s * s;
  const double rest = fma(s * square, polynomial(kLog, square), 2 * s_rest);
  const double log_power = exponent * FunctionConstants<double>::ln_2;
  const double large = log_power + 2 * s;
  return {large, (log_power - large + 2 * s) + (rest + exponent * FunctionConstants<double>::ln_2_rest)};
}

/// sin(x + quarters pi / 2)
double shifted_sin(double x, std::int64_t quarters) {
  assert(std::abs(x) <= 1e9);
  // x = n pi / 2 + r, n an integer, |r| <= pi / 4.  The constants are 2 / pi, and pi / 2 in two parts.
  constexpr double kToInteger = FunctionConstants<double>::to_integer;
  const double n = fma(x, 0x1.45f306dc9c883p-1, kToInteger) - kToInteger;
  const double r = fma(n, -0x1.1a62633145c07p-54, fma(n, -0x1.921fb54442d18p0, x));
  const double square = r * r;
  quarters += static_cast<std::int64_t>(n);
  double y = fma(r * square, polynomial(kSin, square), r);  // sin r
  if ((quarters & 1) != 0) {                                // cos r
    const double large = 1 - square / 2;
    y = large + fma(square * square, polynomial(kCos, square), (1 - large) - square / 2);
  }
  return (quarters & 2) != 0 ? -y : y;
}

}  // namespace

double log(double x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (x == 0) {
    return -kInfinity;
  }
  if (!(x > 0) || x == kInfinity) {
    return x < 0 ? std::numeric_limits<double>::quiet_NaN() : x;
  }
  const Logarithm logarithm = accurate_log(x);
  return logarithm.large + logarithm.small;
}

double pow(double x, double y) {
  if (x == 0) {
    return y == 0 ? 1 : 0;
  }
  const auto [large, small] = accurate_log(x);
  const double product = y * large;
  return exp(product, std::abs(product) < 1000 ? fma(y, large, -product) + y * small : 0);
}

double sin(double x) { return shifted_sin(x, 0); }
double cos(double x) { return shifted_sin(x, 1); }

}  // namespace glassformer
