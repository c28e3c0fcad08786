// Measures the largest errors of the functions in numerics/functions.hpp, in units in the last place. Prints the table
// in docs/arithmetic.md, with the number that has each error. Takes about six minutes. The exit status is 1 if an error
// exceeds its limit.
//
//   cmake --build build/release --target function_errors && build/release/function_errors
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>

#include "glassformer/numerics/functions.hpp"
#include "glassformer/numerics/parallel.hpp"

using namespace glassformer;

namespace {

/// |got - exact|, in units of the distance between neighbouring numbers of type Scalar near `exact`. The error is 0 if
/// both are NaN, or if both are infinite; an `exact` beyond the largest Scalar counts as infinite.
template <class Scalar>
double error_of(Scalar got, long double exact) {
  using Limits = std::numeric_limits<Scalar>;
  if (std::isnan(got) && std::isnan(exact)) {
    return 0;
  }
  if (std::abs(exact) >= std::ldexp(1.0L, Limits::max_exponent) && std::isinf(got)) {
    return 0;
  }
  int exponent = 0;
  std::frexp(exact, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent, Limits::min_exponent) - Limits::digits);
  const auto error = static_cast<double>(std::abs(static_cast<long double>(got) - exact) / unit);
  return std::isnan(error) ? Limits::infinity() : error;
}

struct Worst {
  double error = 0, at = 0;
};

bool all_good = true;

void print(const char* function, const char* type, const char* numbers, double limit, const std::vector<Worst>& parts) {
  Worst worst;
  for (const Worst& part : parts) {
    if (part.error >= worst.error) {
      worst = part;
    }
  }
  std::printf("| `%s` | %s | %s | %.2f at %a |\n", function, type, numbers, worst.error, worst.at);
  if (worst.error <= limit) {
    return;
  }
  std::printf("expected at most %.2f\n", limit);
  all_good = false;
}

void all_floats(const char* name, double limit, auto function, auto exact) {
  constexpr Index kParts = 1 << 10;
  constexpr std::uint32_t kSize = 1U << 22;
  std::vector<Worst> parts(kParts);
  run_tasks(kParts, [&](Index part) {
    Worst& worst = parts[static_cast<std::size_t>(part)];
    for (std::uint32_t i = 0; i < kSize; ++i) {
      const float x = std::bit_cast<float>(static_cast<std::uint32_t>(part) * kSize + i);
      const double error = error_of<float>(function(x), exact(double{x}));
      if (error > worst.error) {
        worst = {error, double{x}};
      }
    }
  });
  print(name, "float", "all", limit, parts);
}

void random_doubles(const char* name, const char* numbers, double limit, auto function, auto exact, auto draw) {
  constexpr Index kParts = 100;
  constexpr Index kSize = 1'000'000;
  std::vector<Worst> parts(kParts);
  run_tasks(kParts, [&](Index part) {
    std::mt19937_64 random(static_cast<std::uint64_t>(part));
    Worst& worst = parts[static_cast<std::size_t>(part)];
    for (Index i = 0; i < kSize; ++i) {
      const double x = draw(random);
      const double error = error_of<double>(function(x), exact(static_cast<long double>(x)));
      if (error > worst.error) {
        worst = {error, x};
      }
    }
  });
  print(name, "double", numbers, limit, parts);
}

auto between(double low, double high) {
  return [=](auto& random) { return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53; };
}

}  // namespace

int main() {
  std::printf("| function | type | numbers | largest error |\n|---|---|---|---|\n");
  const auto any = [](auto& random) { return std::bit_cast<double>(static_cast<std::uint64_t>(random() >> 1)); };
  all_floats(
      "exp(x)", 1.03, [](float x) { return glassformer::exp(x); }, [](double x) { return std::exp(x); });
  all_floats(
      "erfc(x)", 5, [](float x) { return glassformer::erfc(x); }, [](double x) { return std::erfc(x); });

  const auto own_exp = [](double x) { return glassformer::exp(x); };
  const auto own_erfc = [](double x) { return glassformer::erfc(x); };
  const auto own_log = [](double x) { return glassformer::log(x); };
  const auto own_sin = [](double x) { return glassformer::sin(x); };
  const auto own_cos = [](double x) { return glassformer::cos(x); };
  const auto exp = [](long double x) { return std::exp(x); };
  const auto erfc = [](long double x) { return std::erfc(x); };
  const auto log = [](long double x) { return std::log(x); };
  const auto sin = [](long double x) { return std::sin(x); };
  const auto cos = [](long double x) { return std::cos(x); };
  random_doubles("exp(x)", "-746 to 710", 1.04, own_exp, exp, between(-746, 710));
  random_doubles("exp(x)", "-1 to 1", 1.03, own_exp, exp, between(-1, 1));
  random_doubles("erfc(x)", "-6 to 28", 4, own_erfc, erfc, between(-6, 28));
  random_doubles("erfc(x)", "-2 to 2", 4, own_erfc, erfc, between(-2, 2));
  random_doubles("log(x)", "any positive, even denormal", 0.56, own_log, log, any);
  random_doubles("log(x)", "0.5 to 2", 0.56, own_log, log, between(0.5, 2));
  random_doubles("sin(x)", "-10 to 10", 1.6, own_sin, sin, between(-10, 10));
  random_doubles("sin(x)", "-1,000,000 to 1,000,000", 1.6, own_sin, sin, between(-1e6, 1e6));
  random_doubles("cos(x)", "-10 to 10", 1.6, own_cos, cos, between(-10, 10));
  random_doubles("cos(x)", "-1,000,000 to 1,000,000", 1.6, own_cos, cos, between(-1e6, 1e6));
  random_doubles(
      "pow(10000, x)", "-1 to 0", 1.2, [](double x) { return glassformer::pow(10000, x); },
      [](long double x) { return std::pow(10000.0L, x); }, between(-1, 0));
  random_doubles(
      "pow(0.98, x)", "0 to 30,000", 3, [](double x) { return glassformer::pow(0.98, x); },
      [](long double x) { return std::pow(static_cast<long double>(0.98), x); }, between(0, 30'000));
  random_doubles(
      "pow(x, 0.6)", "0 to 1,000", 1.2, [](double x) { return glassformer::pow(x, 0.6); },
      [](long double x) { return std::pow(x, static_cast<long double>(0.6)); }, between(0, 1000));
  return all_good ? 0 : 1;
}
