#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "glassformer/numerics/row_operations.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

constexpr Index kRowSizes[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, 259};

template <class Scalar>
constexpr Scalar kNotANumber = std::numeric_limits<Scalar>::quiet_NaN();

/// A row of random numbers that begins `offset` numbers after the start of a cache line, with NaN around it.
template <class Scalar>
class GuardedRow {
 public:
  GuardedRow(RandomValues& random, Index size, Index offset) : memory_(1, size + 48), offset_(offset), size_(size) {
    memory_.fill(kNotANumber<Scalar>);
    random.fill(row());
  }
  /// The same numbers at another offset.
  GuardedRow(const GuardedRow& other, Index offset)
      : memory_(1, other.size_ + 48), offset_(offset), size_(other.size_) {
    memory_.fill(kNotANumber<Scalar>);
    std::copy(other.row().begin(), other.row().end(), row().begin());
  }
  RowView<Scalar> row() { return {memory_.data() + offset_, size_}; }
  RowView<const Scalar> row() const { return {memory_.data() + offset_, size_}; }
  bool guards_are_untouched() const {
    Index guards = 0;
    for (const Scalar number : memory_.row(0)) {
      guards += std::isnan(number);
    }
    return guards >= 48;
  }

 private:
  Buffer<Scalar> memory_;
  Index offset_, size_;
};

/// The results of all operations on two rows, in one list. Results that are rows are listed number by number.
template <class Scalar>
std::vector<Scalar> all_results(GuardedRow<Scalar> x, GuardedRow<Scalar> y) {
  const RowView<const Scalar> a = x.row();
  const RowView<const Scalar> b = y.row();
  std::vector<Scalar> results{sum(a), dot(a, b), mean(a), mean_square(a), mean_product(a, b), largest(a)};
  results.push_back(exponentials(x.row(), largest(a)));
  results.insert(results.end(), x.row().begin(), x.row().end());
  return results;
}

}  // namespace

TEMPLATE_TEST_CASE("The sum, mean and products of rows match plain loops", "[numerics]", float, double) {
  for (const Index size : kRowSizes) {
    CAPTURE(size);
    RandomValues random(1);
    const GuardedRow<TestType> x(random, size, 3);
    const GuardedRow<TestType> y(random, size, 5);
    double total = 0;
    double product = 0;
    double squares = 0;
    double magnitude = 0;
    for (Index j = 0; j < size; ++j) {
      const double a = static_cast<double>(x.row()[j]);
      const double b = static_cast<double>(y.row()[j]);
      total += a;
      product += a * b;
      squares += a * a;
      magnitude += std::abs(a) + std::abs(a * b) + a * a;
    }
    const double rounding = magnitude * std::numeric_limits<TestType>::epsilon();
    const double n = static_cast<double>(size);
    CHECK(std::abs(static_cast<double>(sum(x.row())) - total) <= rounding);
    CHECK(std::abs(static_cast<double>(dot(x.row(), y.row())) - product) <= rounding);
    CHECK(std::abs(static_cast<double>(mean(x.row())) - total / n) <= rounding);
    CHECK(std::abs(static_cast<double>(mean_square(x.row())) - squares / n) <= rounding);
    CHECK(std::abs(static_cast<double>(mean_product(x.row(), y.row())) - product / n) <= rounding);
  }
  CHECK(sum(RowView<const TestType>(nullptr, 0)) == 0);
  CHECK(dot(RowView<const TestType>(nullptr, 0), RowView<const TestType>(nullptr, 0)) == 0);
}

TEMPLATE_TEST_CASE("The bits of a result do not depend on where in memory the row is or on what is around it",
                   "[numerics][batches]", float, double) {
  for (const Index size : kRowSizes) {
    RandomValues random(2);
    const GuardedRow<TestType> x(random, size, 0);
    const GuardedRow<TestType> y(random, size, 0);
    const std::vector<TestType> expected = all_results(x, y);
    for (const TestType number : expected) {
      REQUIRE_FALSE(std::isnan(number));
    }
    for (Index offset = 1; offset < 20; ++offset) {
      CAPTURE(size, offset);
      CHECK(all_results(GuardedRow(x, offset), GuardedRow(y, 19 - offset)) == expected);
    }
  }
}

TEMPLATE_TEST_CASE("The largest number of a row is found at every position", "[numerics]", float, double) {
  for (const Index size : kRowSizes) {
    for (Index at = 0; at < size; ++at) {
      RandomValues random(3);
      GuardedRow<TestType> x(random, size, 1);
      for (TestType& number : x.row()) {
        number -= 10;  // all negative
      }
      x.row()[at] = -5;
      CHECK(largest(x.row()) == -5);
      x.row()[at] = std::numeric_limits<TestType>::infinity();
      CHECK(largest(x.row()) == std::numeric_limits<TestType>::infinity());
    }
    std::vector<TestType> low(static_cast<std::size_t>(size), kMinusInfinity<TestType>);
    CHECK(largest(RowView<const TestType>(low.data(), size)) == kMinusInfinity<TestType>);
  }
  CHECK(largest(RowView<const TestType>(nullptr, 0)) == kMinusInfinity<TestType>);
}

TEMPLATE_TEST_CASE("If one number of a row is NaN, the largest is that of the others", "[numerics]", float, double) {
  for (const Index size : kRowSizes) {
    for (Index at = 0; at < size; ++at) {
      for (const TestType others : {TestType{3}, std::numeric_limits<TestType>::infinity(), kMinusInfinity<TestType>}) {
        std::vector<TestType> x(static_cast<std::size_t>(size), others);
        x[static_cast<std::size_t>(at)] = kNotANumber<TestType>;
        CAPTURE(size, at, others);
        CHECK(largest(RowView<const TestType>(x.data(), size)) == (size > 1 ? others : kMinusInfinity<TestType>));
      }
    }
  }
}

TEMPLATE_TEST_CASE("Exponentials are accurate to a few ulps and exactly 0 for -infinity, and their sum is returned",
                   "[numerics]", float, double) {
  constexpr TestType kUnits = 4 * std::numeric_limits<TestType>::epsilon();
  for (const Index size : kRowSizes) {
    CAPTURE(size);
    RandomValues random(4);
    GuardedRow<TestType> x(random, size, 2);
    for (Index j = 0; j < size; ++j) {
      x.row()[j] = j % 3 == 1 ? kMinusInfinity<TestType> : 20 * x.row()[j];
    }
    const GuardedRow<TestType> before = x;
    const TestType sum = exponentials(x.row(), 5);
    double expected_sum = 0;
    for (Index j = 0; j < size; ++j) {
      const double expected = std::exp(static_cast<double>(before.row()[j] - 5));
      CHECK(static_cast<double>(x.row()[j]) == Approx(expected).epsilon(kUnits).margin(0));
      if (j % 3 == 1) {
        CHECK(x.row()[j] == 0);
      }
      expected_sum += expected;
    }
    CHECK(static_cast<double>(sum) == Approx(expected_sum).epsilon(kUnits));
    CHECK(x.guards_are_untouched());
  }
}

TEMPLATE_TEST_CASE("The exponential of the shifted maximum is 1, and NaN stays NaN", "[numerics]", float, double) {
  Buffer<TestType> x{{0, -1, kNotANumber<TestType>, kMinusInfinity<TestType>}};
  CHECK(std::isnan(exponentials(x.row(0), TestType{0})));
  CHECK(x(0, 0) == 1);
  CHECK(std::isnan(x(0, 2)));
  CHECK(x(0, 3) == 0);
}

TEMPLATE_TEST_CASE("Elementwise operations match plain loops and write only to the row", "[numerics]", float, double) {
  for (const Index size : kRowSizes) {
    CAPTURE(size);
    RandomValues random(5);
    const GuardedRow<TestType> x(random, size, 1);
    const GuardedRow<TestType> start(random, size, 3);
    std::vector<std::uint8_t> bits(static_cast<std::size_t>(size));
    for (std::uint8_t& bit : bits) {
      bit = random.index(2) == 0;
    }
    const RowView<const std::uint8_t> ones(bits.data(), size);
    const auto check = [&](const auto& operation, const auto& expected) {
      GuardedRow<TestType> to = start;
      operation(to.row());
      CHECK(to.guards_are_untouched());
      for (Index j = 0; j < size; ++j) {
        CHECK(to.row()[j] == Approx(expected(start.row()[j], x.row()[j], ones[j] == 1)).margin(1e-7));
      }
    };
    using S = TestType;
    check([&](RowView<S> to) { scale(to, S{3}); }, [](S t, S, bool) { return 3 * t; });
    check([&](RowView<S> to) { add(x.row(), to); }, [](S t, S a, bool) { return t + a; });
    check([&](RowView<S> to) { keep(x.row(), ones, S{3}, to); }, [](S, S a, bool one) { return one ? 3 * a : 0; });
    check([&](RowView<S> to) { keep(to, ones, S{3}, to); }, [](S t, S, bool one) { return one ? 3 * t : 0; });
    check([&](RowView<S> to) { block(ones, to); }, [](S t, S, bool one) { return one ? kMinusInfinity<S> : t; });
  }
}

TEMPLATE_TEST_CASE("Numbers are cleared where another row is 0 or -0, even if they are NaN", "[numerics]", float,
                   double) {
  Buffer<TestType> x{{kNotANumber<TestType>, kMinusInfinity<TestType>, 3, 4, kNotANumber<TestType>}};
  const Buffer<TestType> y{{0, -TestType{0}, 0, 1, 2}};
  clear_where_zero(y.row(0), x.row(0));
  for (Index j = 0; j < 3; ++j) {
    CHECK(x(0, j) == 0);
  }
  CHECK(x(0, 3) == 4);
  CHECK(std::isnan(x(0, 4)));
}
