#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

/// A second implementation of docs/arithmetic.md: plain and slow, one number at a time, written from the description
/// rather than from the source. It uses + - * / and std::fma, which IEEE 754 rounds correctly, and std::frexp and
/// std::ldexp, whose results are exactly defined, too.
namespace reference {

using Index = std::ptrdiff_t;

// --- Rows -------------------------------------------------------------------------------------------------------

/// Calls add(accumulator j mod 16, j) for every j, up to the next multiple of 16: beyond the row's end, `at` gives a
/// filling. Then combines the sixteen accumulators in pairs, first 8 places apart, then 4, 2 and 1.
template <class Scalar>
Scalar accumulate(Index size, Scalar start, auto add, auto combine) {
  Scalar sums[16];
  std::fill_n(sums, 16, start);
  for (Index j = 0; j < (size + 15) / 16 * 16; ++j) {
    sums[j % 16] = add(sums[j % 16], j);
  }
  for (Index places = 8; places > 0; places /= 2) {
    for (Index k = 0; k < places; ++k) {
      sums[k] = combine(sums[k], sums[k + places]);
    }
  }
  return sums[0];
}
/// Element j of a row, or the filling after its end.
template <class Scalar>
Scalar at(const Scalar* x, Index j, Index size, Scalar filling = 0) {
  return j < size ? x[j] : filling;
}

template <class Scalar>
Scalar plus(Scalar a, Scalar b) {
  return a + b;
}
/// The larger of two numbers; the first if they are equal or if one of them is NaN.
template <class Scalar>
Scalar larger(Scalar a, Scalar b) {
  return b > a ? b : a;
}

template <class Scalar>
Scalar sum(const Scalar* x, Index size) {
  return accumulate(
      size, Scalar{0}, [&](Scalar s, Index j) { return s + at(x, j, size); }, plus<Scalar>);
}
template <class Scalar>
Scalar dot(const Scalar* x, const Scalar* y, Index size) {
  return accumulate(
      size, Scalar{0}, [&](Scalar s, Index j) { return std::fma(at(x, j, size), at(y, j, size), s); }, plus<Scalar>);
}
template <class Scalar>
Scalar largest(const Scalar* x, Index size) {
  constexpr Scalar kLowest = -std::numeric_limits<Scalar>::infinity();
  return accumulate(
      size, kLowest, [&](Scalar s, Index j) { return larger(s, at(x, j, size, kLowest)); }, larger<Scalar>);
}
template <class Scalar>
Scalar mean(const Scalar* x, Index size) {
  return sum(x, size) / static_cast<Scalar>(size);
}
template <class Scalar>
Scalar mean_product(const Scalar* x, const Scalar* y, Index size) {
  return dot(x, y, size) / static_cast<Scalar>(size);
}
template <class Scalar>
double sum_of_squares(const Scalar* x, Index size) {
  const std::vector<double> wide(x, x + size);
  return dot(wide.data(), wide.data(), size);
}

// --- Matrix products --------------------------------------------------------------------------------------------

/// One element of a product, plus `addend` if it is not null. a(k) and b(k) are the factors of term k.
template <class Scalar>
Scalar product_element(Index K, auto a, auto b, const Scalar* addend) {
  constexpr Index kBlock = 512;
  Scalar total = addend != nullptr ? *addend : 0;
  for (Index begin = 0; begin < K; begin += kBlock) {
    Scalar block = 0;
    for (Index k = begin; k < std::min(K, begin + kBlock); ++k) {
      block = std::fma(a(k), b(k), block);
    }
    total = begin == 0 && addend == nullptr ? block : block + total;
  }
  return total;
}

// --- Functions --------------------------------------------------------------------------------------------------

template <class Scalar>
Scalar horner(const std::vector<Scalar>& coefficients, Scalar x) {
  Scalar y = coefficients.back();
  for (std::size_t i = coefficients.size() - 1; i-- > 0;) {
    y = std::fma(y, x, coefficients[i]);
  }
  return y;
}

/// exp(x + rest)
template <class Scalar>
Scalar exp(Scalar x, Scalar rest = 0) {
  constexpr bool kFloat = std::is_same_v<Scalar, float>;
  if (std::isnan(x) || std::isnan(rest)) {
    return std::numeric_limits<Scalar>::quiet_NaN();
  }
  x = std::min(std::max(x, Scalar(kFloat ? -104 : -746)), Scalar(kFloat ? 89 : 710));
  const auto large = Scalar(kFloat ? 0x1.8p23 : 0x1.8p52);
  const Scalar n = std::fma(x, Scalar(kFloat ? 0x1.715476p0 : 0x1.71547652b82fep0), large) - large;
  Scalar r = std::fma(n, Scalar(kFloat ? -0x1.62e4p-1 : -0x1.62e42fefa38p-1), x);
  r = std::fma(n, Scalar(kFloat ? -0x1.7f7d1cp-20 : -0x1.ef35793c7673p-45), r);
  r = r + rest;
  std::vector<Scalar> c;
  if constexpr (kFloat) {
    c = {0.499999934178F, 0.166665200703F, 0.0416683915718F, 0.00836878496527F, 0.00138146957592F};
  } else {
    c = {0.50000000000000107308,   0.16666666666666410732,    0.041666666666529096893,    0.008333333333495212948,
         0.0013888888943948748911, 0.00019841269505849163478, 0.000024801492733880429794, 2.755758620442769107e-6,
         2.7630389539301539855e-7, 2.5000378268109633863e-8};
  }
  const Scalar y = std::fma(r * r, horner(c, r), r) + 1;
  return std::ldexp(y, static_cast<int>(n));
}

template <class Scalar>
Scalar erfc(Scalar x) {
  constexpr bool kFloat = std::is_same_v<Scalar, float>;
  const Scalar z = std::min(std::abs(x), Scalar(kFloat ? 11 : 28));
  if (std::isnan(x)) {
    return x;
  }
  std::vector<Scalar> c;
  if constexpr (kFloat) {
    c = {-0.56736547644F,  1.3675242858F,   0.09851728513F, -0.40640263339F, -0.044203657756F, 0.29754289245F,
         -0.041158239699F, -0.25908360061F, 0.13117722561F, 0.19472403986F,  -0.13679757208F,  -0.086430103094F};
  } else {
    c = {-0.62675486601084853075, 1.3566391463443269968,   0.15091006847813062514,  -0.39301849827183146135,
         -0.10941120600824180493, 0.29788101587136900362,  0.042387185176245445771, -0.29701280726761095666,
         0.059247606408844113638, 0.29368570422089886547,  -0.20327778938824740655, -0.22401505528075922619,
         0.3563716028981701127,   0.040141714138064467962, -0.42820639699803892978, 0.23878756136580359857,
         0.30755056276451701583,  -0.4766153231314832872,  0.024468674770920952597, 0.47469020930302380594,
         -0.3863387708933917732,  -0.18527943777609990117, 0.49131656484360488538,  -0.12262260605978877451,
         -0.28127951353920715462, 0.13789992134167631561,  0.049814410815180048127};
  }
  const Scalar t = 1 / (1 + z / 2);
  const Scalar p = horner(c, t - Scalar(kFloat ? 0.57692307692F : 0.53333333333333333));
  const Scalar square = z * z;
  const Scalar exponent = p - square;
  const Scalar rest = (p - (exponent + square)) - std::fma(z, z, -square);
  const Scalar y = t * exp(exponent, rest);
  return x < 0 ? 2 - y : y;
}

/// log x = large + small, for finite x > 0.
inline std::array<double, 2> log_parts(double x) {
  int e = 0;
  double m = std::frexp(x, &e);  // m in [1/2, 1)
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --e;
  }
  const double f = m - 1;
  const double t = 2 + f;
  const double s = f / t;
  const double rest_of_t = f - (t - 2);
  const double rest_of_s = (std::fma(-s, t, f) - s * rest_of_t) / t;
  const double z = s * s;
  const auto series =
      horner<double>({0.66666666666667353819, 0.39999999999407485635, 0.28571428744142144956, 0.22222198378379663061,
                      0.18183575171374029725, 0.15313755592449085413, 0.14799067914629433112},
                     z);
  const double small = std::fma(s * z, series, 2 * rest_of_s);
  const double a = e * 0x1.62e42fefa38p-1;
  const double large = a + 2 * s;
  return {large, (a - large + 2 * s) + (small + e * 0x1.ef35793c7673p-45)};
}

inline double log(double x) {
  if (std::isnan(x) || x < 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (x == 0 || std::isinf(x)) {
    return x == 0 ? -std::numeric_limits<double>::infinity() : x;
  }
  const auto [large, small] = log_parts(x);
  return large + small;
}

inline double pow(double x, double y) {
  if (x == 0) {
    return y == 0 ? 1 : 0;
  }
  const auto [large, small] = log_parts(x);
  const double p = y * large;
  return exp(p, std::abs(p) < 1000 ? std::fma(y, large, -p) + y * small : 0);
}

/// sin(x + quarters pi / 2)
inline double sin(double x, int quarters = 0) {
  const double n = std::fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52) - 0x1.8p52;
  double r = std::fma(n, -0x1.921fb54442d18p0, x);
  r = std::fma(n, -0x1.1a62633145c07p-54, r);
  const double z = r * r;
  const double sine =
      std::fma(r * z,
               horner<double>({-0.16666666666666631652, 0.0083333333333223151659, -0.00019841269829725213991,
                               2.7557313662060925078e-6, -2.5050753265066012346e-8, 1.5896504977315509278e-10},
                              z),
               r);
  const auto c = horner<double>({0.041666666666666592018, -0.001388888888887289513, 0.00002480158728874818769,
                                 -2.7557314148622972006e-7, 2.0875696572407160612e-9, -1.1358310478262175726e-11},
                                z);
  const double h = 1 - z / 2;
  const double cosine = h + std::fma(z * z, c, (1 - h) - z / 2);
  switch (((static_cast<long long>(n) + quarters) % 4 + 4) % 4) {
    case 0:
      return sine;
    case 1:
      return cosine;
    case 2:
      return -sine;
    default:
      return -cosine;
  }
}
inline double cos(double x) { return sin(x, 1); }

}  // namespace reference
