#include <limits>
#include <vector>

#include "catch.hpp"
#include "numerics/gradient_check.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

/// loss = sum over i of (i + 1) * x_i^3 + x_0 * x_last, and its gradient.
struct Cubic {
  std::vector<double> x;

  explicit Cubic(std::size_t size) : x(size) {
    RandomValues random(1);
    for (double& value : x) value = random.number(0.5, 1.5);
  }
  double loss() const {
    double sum = x.front() * x.back();
    for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(i + 1) * x[i] * x[i] * x[i];
    return sum;
  }
  std::vector<double> gradient() const {
    std::vector<double> d_x(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) d_x[i] = 3 * static_cast<double>(i + 1) * x[i] * x[i];
    d_x.front() += x.back();
    d_x.back() += x.front();
    return d_x;
  }
  GradientError check(const std::vector<double>& written, Index limit = 0) {
    return check_gradient(x, written, [this] { return loss(); }, limit);
  }
};

}  // namespace

TEST_CASE("The gradient checker accepts a right gradient and puts the values back", "[numerics]") {
  Cubic cubic(12);
  const std::vector<double> before = cubic.x;
  const GradientError error = cubic.check(cubic.gradient());
  CHECK(error.relative < 1e-9);
  CHECK(error.checked == 12);
  CHECK(cubic.x == before);
}

TEST_CASE("The gradient checker finds the one entry that is a thousandth too large", "[numerics]") {
  Cubic cubic(12);
  for (std::size_t i = 0; i < cubic.x.size(); ++i) {
    std::vector<double> spoiled = cubic.gradient();
    spoiled[i] *= 1.001;
    const GradientError error = cubic.check(spoiled);
    CAPTURE(i);
    CHECK(error.relative > 1e-5);
    CHECK(error.worst == static_cast<Index>(i));
    CHECK(error.written == spoiled[i]);
    CHECK(error.measured == Approx(cubic.gradient()[i]).epsilon(1e-9));
  }
}

TEST_CASE("The gradient checker finds a gradient that is missing, and one that should not be there", "[numerics]") {
  Cubic cubic(5);
  CHECK(cubic.check(std::vector<double>(5, 0.0)).relative == Approx(1));

  const auto constant = [] { return 3.0; };
  std::vector<double> x(5, 1.0);
  CHECK(check_gradient(x, std::vector<double>(5, 0.0), constant).relative == 0);
  CHECK(check_gradient(x, std::vector<double>{0, 0, 1e-6, 0, 0}, constant).relative > 1e-7);
}

TEST_CASE("The gradient checker accepts neither NaN nor infinity, in the gradient or in the loss", "[numerics]") {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Cubic cubic(5);
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    for (std::size_t i = 0; i < cubic.x.size(); ++i) {
      CAPTURE(bad, i);
      std::vector<double> spoiled = cubic.gradient();
      spoiled[i] = bad;
      CHECK_FALSE(cubic.check(spoiled).relative < 1e-7);
    }
    CHECK_FALSE(check_gradient(cubic.x, cubic.gradient(), [bad] { return bad; }).relative < 1e-7);
  }
}

TEST_CASE("With a limit, the gradient checker moves that many numbers, spread evenly", "[numerics]") {
  Cubic cubic(12);
  std::vector<double> spoiled = cubic.gradient();
  spoiled[1] *= 2;  // between 0 and 3, where a limit of 4 does not look
  const GradientError few = cubic.check(spoiled, 4);
  CHECK(few.checked == 4);
  CHECK(few.relative < 1e-9);

  spoiled[9] *= 2;
  const GradientError last = cubic.check(spoiled, 4);
  CHECK(last.relative > 0.1);
  CHECK(last.worst == 9);

  CHECK(cubic.check(spoiled, 100).checked == 12);
}
