#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "catch.hpp"
#include "glassformer/numerics/functions.hpp"
#include "glassformer/numerics/gemm.hpp"
#include "glassformer/numerics/row_operations.hpp"
#include "glassformer/training/optimizer.hpp"
#include "random_values.hpp"
#include "reference_arithmetic/reference_arithmetic.hpp"

using namespace glassformer;

namespace {

/// The same bits, or both NaN: processors differ in the bits of a NaN.
template <class Scalar>
bool same(Scalar a, Scalar b) {
  using Bits = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

/// Numbers of one kind: 0 of ordinary size, 1 of any size, 2 denormal, 3 anything, also 0, -0, infinity and NaN.
template <class Scalar>
class Numbers {
 public:
  explicit Numbers(int kind) : kind_(kind), random_(static_cast<std::uint64_t>(kind)) {}
  Scalar next() {
    using Limits = std::numeric_limits<Scalar>;
    const auto number = static_cast<Scalar>(random_.number());
    const Index choice = random_.index(12);
    const int exponent = static_cast<int>(random_.index(2 * Limits::max_exponent)) - Limits::max_exponent;
    if (kind_ == 0) {
      return number;
    }
    if (kind_ == 2) {
      return number * Limits::min();
    }
    if (kind_ == 1 || choice > 7) {
      return std::ldexp(number, kind_ == 1 ? exponent / 8 : exponent);
    }
    const Scalar awkward[] = {0, -Scalar{0},           Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                              1, Limits::denorm_min(), Limits::max()};
    return awkward[choice];
  }
  /// A buffer with a margin, so that its rows are not contiguous.
  Buffer<Scalar> matrix(Index rows, Index cols) {
    Buffer<Scalar> numbers(rows, cols + 3);
    for (Index i = 0; i < rows; ++i) {
      for (Scalar& number : numbers.row(i)) {
        number = next();
      }
    }
    return numbers;
  }

 private:
  int kind_;
  RandomValues random_;
};

constexpr int kKinds = 4;

/// Compares every element of the products of random matrices [N, K] and [K, M] with the reference.
template <class Scalar>
void require_products(Numbers<Scalar>& numbers, Index N, Index K, Index M) {
  const Buffer<Scalar> a = numbers.matrix(N, K);
  const Buffer<Scalar> b = numbers.matrix(K, M);
  const Buffer<Scalar> start = numbers.matrix(N, M);
  const Buffer<Scalar> at = numbers.matrix(K, N);
  const Buffer<Scalar> bt = numbers.matrix(M, K);
  const Buffer<Scalar> bias = numbers.matrix(1, M);
  Buffer<Scalar> c = start;
  Buffer<Scalar> added = start;
  Buffer<Scalar> right = start;
  Buffer<Scalar> with_bias = start;
  Buffer<Scalar> left = start;
  const auto of = [](auto& buffer, Index cols) { return buffer.view().middle_cols(0, cols); };
  multiply(of(a, K), of(b, M), of(c, M), Result::overwrite);
  multiply(of(a, K), of(b, M), of(added, M), Result::add);
  multiply_transposed_right(of(a, K), of(bt, K), of(right, M), Result::overwrite);
  if (K > 0) {
    multiply_transposed_right(of(a, K), of(bt, K), {bias.data(), M}, of(with_bias, M));
  }
  multiply_transposed_left(of(at, N), of(b, M), of(left, M), Result::overwrite);
  const Scalar* const none = nullptr;
  for (Index n = 0; n < N; ++n) {
    for (Index m = 0; m < M; ++m) {
      CAPTURE(N, K, M, n, m);
      const auto row = [&](Index k) { return a(n, k); };
      const auto column = [&](Index k) { return b(k, m); };
      const auto transposed_row = [&](Index k) { return at(k, n); };
      const auto transposed_column = [&](Index k) { return bt(m, k); };
      REQUIRE(same(c(n, m), reference::product_element(K, row, column, none)));
      REQUIRE(same(added(n, m), reference::product_element(K, row, column, &start(n, m))));
      REQUIRE(same(right(n, m), reference::product_element(K, row, transposed_column, none)));
      if (K > 0) {
        REQUIRE(same(with_bias(n, m), reference::product_element(K, row, transposed_column, &bias(0, m))));
      }
      REQUIRE(same(left(n, m), reference::product_element(K, transposed_row, column, none)));
    }
  }
}

/// Only if the product is not finite: the product with finite numbers, to which the others are added where a is not 0.
template <class Scalar>
Buffer<Scalar> product_of_visible_rows(MatrixView<const Scalar> a, MatrixView<const Scalar> b) {
  const auto is_finite = [](Scalar x) { return std::isfinite(x); };
  Buffer<Scalar> product(a.rows(), b.cols());
  multiply(a, b, product, Result::overwrite);
  if (std::all_of(product.data(), product.data() + product.size(), is_finite)) {
    return product;
  }
  Buffer<Scalar> finite(b.rows(), b.cols());
  for (Index k = 0; k < b.rows(); ++k) {
    std::ranges::transform(b.row(k), finite.row(k).begin(), [&](Scalar x) { return is_finite(x) ? x : 0; });
  }
  multiply(a, MatrixView<const Scalar>(finite), product, Result::overwrite);
  for (Index k = 0; k < b.rows(); ++k) {
    for (Index n = 0; n < a.rows(); ++n) {
      if (a(n, k) == 0 || std::ranges::all_of(b.row(k), is_finite)) {
        continue;
      }
      for (Index m = 0; m < b.cols(); ++m) {
        product(n, m) += a(n, k) * (b(k, m) - finite(k, m));
      }
    }
  }
  return product;
}

template <class Scalar>
void require_same(const Buffer<Scalar>& found, const Buffer<Scalar>& expected) {
  for (Index n = 0; n < expected.rows(); ++n) {
    for (Index m = 0; m < expected.cols(); ++m) {
      REQUIRE(same(found(n, m), expected(n, m)));
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("Rows are reduced exactly as docs/arithmetic.md says", "[numerics][arithmetic]", float, double) {
  for (int kind = 0; kind < kKinds; ++kind) {
    Numbers<TestType> numbers(kind);
    for (int repetition = 0; repetition < 20; ++repetition) {
      for (const Index size : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 100, 259, 1000}) {
        const Buffer<TestType> rows = numbers.matrix(2, size);
        const RowView<const TestType> x(rows.row(0).data() + 1, size);
        const RowView<const TestType> y(rows.row(1).data() + 2, size);
        CAPTURE(kind, size);
        REQUIRE(same(sum(x), reference::sum(x.data(), size)));
        REQUIRE(same(dot(x, y), reference::dot(x.data(), y.data(), size)));
        REQUIRE(same(largest(x), reference::largest(x.data(), size)));
        REQUIRE(same(mean(x), reference::mean(x.data(), size)));
        REQUIRE(same(mean_square(x), reference::mean_product(x.data(), x.data(), size)));
        REQUIRE(same(mean_product(x, y), reference::mean_product(x.data(), y.data(), size)));
        REQUIRE(same(sum_of_squares(x), reference::sum_of_squares(x.data(), size)));

        std::vector<TestType> powers(x.begin(), x.end());
        std::vector<TestType> expected;
        const TestType shift = numbers.next();
        for (const TestType number : x) {
          expected.push_back(number == kMinusInfinity<TestType> ? 0 : reference::exp<TestType>(number - shift));
        }
        if constexpr (std::is_same_v<TestType, float>) {
          REQUIRE(same(sum_of_exponentials(x, shift), reference::sum(expected.data(), size)));
        }
        const TestType total = exponentials(RowView<TestType>(powers.data(), size), shift);
        for (std::size_t j = 0; j < powers.size(); ++j) {
          REQUIRE(same(powers[j], expected[j]));
        }
        REQUIRE(same(total, reference::sum(expected.data(), size)));
      }
    }
  }
}

TEMPLATE_TEST_CASE("If all products underflow to -0, their sum is -0 only in a row without zeros after its end",
                   "[numerics][arithmetic]", float, double) {
  for (const Index size : {15, 16, 17, 32}) {
    const std::vector<TestType> x(static_cast<std::size_t>(size), -std::numeric_limits<TestType>::min());
    const std::vector<TestType> y(static_cast<std::size_t>(size), std::numeric_limits<TestType>::min());
    const TestType product = dot(RowView<const TestType>(x.data(), size), RowView<const TestType>(y.data(), size));
    CHECK(same(product, reference::dot(x.data(), y.data(), size)));
    CHECK(std::signbit(product) == (size % 16 == 0));
  }
}

TEMPLATE_TEST_CASE("The norm of a gradient is computed exactly as docs/arithmetic.md says", "[numerics][arithmetic]",
                   float, double) {
  for (const Index size : {0, 1, 100, 1 << 14, (1 << 14) + 1, 50'000, 300'000, 700'001, 1'000'003}) {
    Buffer<TestType> numbers = Numbers<TestType>(0).matrix(1, size);
    double sum = 0;
    for (Index begin = 0; begin < size; begin += 1 << 14) {
      sum += reference::sum_of_squares(numbers.data() + begin, std::min<Index>(size - begin, 1 << 14));
    }
    CHECK(same(euclidean_norm(std::span<const TestType>(numbers.data(), static_cast<std::size_t>(size))),
               std::sqrt(sum)));
  }
}

TEMPLATE_TEST_CASE("Matrix products are computed exactly as docs/arithmetic.md says", "[numerics][arithmetic]", float,
                   double) {
  for (int kind = 0; kind < kKinds; ++kind) {
    Numbers<TestType> numbers(kind);
    for (const Index N : {0, 1, 5, 13, 25}) {
      for (const Index K : {0, 1, 2, 7, 33, 511, 512, 513, 1100}) {
        for (const Index M : {0, 1, 3, 16, 33, 70}) {
          if (kind == 0 || N * K * M <= 20'000) {
            CAPTURE(kind);
            require_products(numbers, N, K, M);
          }
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("Products of visible rows skip zeros exactly as docs/arithmetic.md says", "[numerics][arithmetic]",
                   float, double) {
  constexpr Index N = 5;
  constexpr Index K = 9;
  constexpr Index M = 18;
  for (int kind = 0; kind < kKinds; ++kind) {
    Numbers<TestType> numbers(kind);
    Numbers<TestType> ordinary(0);
    for (int repetition = 0; repetition < 50; ++repetition) {
      Buffer<TestType> a = ordinary.matrix(N, K);
      for (Index n = 0; n < N; ++n) {
        a(n, (n + repetition) % K) = 0;
      }
      const Buffer<TestType> b = numbers.matrix(K, M);
      const MatrixView<const TestType> left = a.view().middle_cols(0, K);
      const MatrixView<const TestType> right = b.view().middle_cols(0, M);
      Buffer<TestType> c(N, M);
      multiply_visible(left, right, c);
      CAPTURE(kind, repetition);
      require_same(c, product_of_visible_rows(left, right));
    }
  }
}

TEMPLATE_TEST_CASE("exp and erfc are computed exactly as docs/arithmetic.md says", "[numerics][arithmetic]", float,
                   double) {
  for (int kind = 0; kind < kKinds; ++kind) {
    Numbers<TestType> numbers(kind);
    for (int i = 0; i < 20'000; ++i) {
      const TestType x = numbers.next() * (kind == 0 ? 30 : 1);
      CAPTURE(kind, x);
      REQUIRE(same(glassformer::exp(x), reference::exp(x)));
      REQUIRE(same(glassformer::erfc(x), reference::erfc(x)));
    }
  }
}

TEST_CASE("0 to the power of 0 is 1, as in C; to any other power, it is 0", "[numerics][arithmetic]") {
  CHECK(glassformer::pow(0, 0) == 1);
  CHECK(glassformer::pow(0, 0.5) == 0);
  CHECK(glassformer::pow(0, 3) == 0);
}

TEST_CASE("log, pow, sin and cos are computed exactly as docs/arithmetic.md says", "[numerics][arithmetic]") {
  for (int kind = 0; kind < kKinds; ++kind) {
    Numbers<double> numbers(kind);
    for (int i = 0; i < 20'000; ++i) {
      const double x = numbers.next();
      const double y = numbers.next() * 1000;
      const double angle = 1e6 * RandomValues(static_cast<std::uint64_t>(i)).number();
      CAPTURE(kind, x, y, angle);
      REQUIRE(same(glassformer::log(x), reference::log(x)));
      REQUIRE(same(glassformer::log(1 + x), reference::log(1 + x)));
      if (x > 0 && std::isfinite(x) && std::isfinite(y)) {
        REQUIRE(same(glassformer::pow(x, y), reference::pow(x, y)));
        REQUIRE(glassformer::pow(x, y) >= 0);
      }
      REQUIRE(same(glassformer::sin(angle), reference::sin(angle)));
      REQUIRE(same(glassformer::cos(angle), reference::cos(angle)));
    }
  }
}
