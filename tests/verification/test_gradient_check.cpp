#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "glassformer/verification/gradient_check.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

/// loss = sum over i of (i + 1) * x_i^3 + x_0 * x_last, and its gradient.
struct Cubic {
  std::vector<double> x;

  explicit Cubic(std::size_t size) : x(size) {
    RandomValues random(1);
    for (double& value : x) {
      value = random.number(0.5, 1.5);
    }
  }
  double loss() const {
    double sum = x.front() * x.back();
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += static_cast<double>(i + 1) * x[i] * x[i] * x[i];
    }
    return sum;
  }
  std::vector<double> gradient() const {
    std::vector<double> d_x(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      d_x[i] = 3 * static_cast<double>(i + 1) * x[i] * x[i];
    }
    d_x.front() += x.back();
    d_x.back() += x.front();
    return d_x;
  }
  GradientError check(const std::vector<double>& analytic, Index limit = 0) {
    return check_gradient(
        x, analytic, [this] { return loss(); }, limit);
  }
};

/// loss = mean over inputs x of the sum over units j of weight_j * x * relu(x + bias_j). It has a kink wherever a unit
/// becomes active for an input.
struct ManyKinks {
  static constexpr std::size_t kUnits = 20, kInputs = 2000;
  std::vector<double> input, weight, bias;

  ManyKinks() : input(kInputs), weight(kUnits), bias(kUnits) {
    RandomValues random(2);
    for (double& x : input) {
      x = random.number();
    }
    for (double& w : weight) {
      w = random.number(0.5, 1);
    }
    for (double& b : bias) {
      b = random.number(-0.5, 0.5);
    }
  }
  double loss() const {
    double sum = 0;
    for (std::size_t j = 0; j < kUnits; ++j) {
      for (const double x : input) {
        sum += weight[j] * x * std::max(0.0, x + bias[j]);
      }
    }
    return sum / kInputs;
  }
  std::vector<double> gradient() const {
    std::vector<double> d_bias(kUnits);
    for (std::size_t j = 0; j < kUnits; ++j) {
      for (const double x : input) {
        d_bias[j] += x + bias[j] > 0 ? weight[j] * x / kInputs : 0;
      }
    }
    return d_bias;
  }
  /// How many units have a kink closer than `distance`.
  Index units_with_a_kink_within(double distance) const {
    return std::count_if(bias.begin(), bias.end(), [&](double b) {
      return std::any_of(input.begin(), input.end(), [&](double x) { return std::abs(x + b) < distance; });
    });
  }
  GradientError check(const std::vector<double>& analytic, Index limit = 0) {
    return check_gradient(
        bias, analytic, [this] { return loss(); }, limit);
  }
};

}  // namespace

TEST_CASE("The gradient checker accepts a correct gradient and restores the values", "[numerics]") {
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
    // The loss is not finite around one number only. The check must not skip this as a kink.
    const auto bad_around_2 = [&, here = cubic.x[2]] { return cubic.x[2] == here ? cubic.loss() : bad; };
    CHECK_FALSE(check_gradient(cubic.x, cubic.gradient(), bad_around_2).relative < 1e-7);
  }
}

TEST_CASE("A nearby kink does not disturb the gradient checker: it takes a smaller step", "[numerics]") {
  ManyKinks many;
  REQUIRE(many.units_with_a_kink_within(2e-4) > 5);
  REQUIRE(many.units_with_a_kink_within(2e-4 / 16) == 0);
  const std::vector<double> before = many.bias;
  const GradientError error = many.check(many.gradient());
  CHECK(error.relative < 1e-9);
  CHECK(error.checked == 20);
  CHECK(error.kinks == 0);
  CHECK(many.bias == before);

  // |x - kink| + x^2 / 2, with the kink near or far, on either side.
  for (const double distance : {3e-6, 1e-5, 3e-5, 2e-4 / 3, 1e-4, 1.14e-4, 1.9e-4, 2.1e-4}) {
    for (const double side : {-1.0, 1.0}) {
      CAPTURE(distance, side);
      std::vector<double> x = {0.5};
      const double kink = x[0] + side * distance;
      const auto loss = [&] { return std::abs(x[0] - kink) + x[0] * x[0] / 2; };
      const GradientError near = check_gradient(x, std::vector<double>{x[0] - side}, loss);
      CHECK(near.checked == (distance > 1.25e-5));
      CHECK(near.kinks == 1 - near.checked);
      CHECK((near.checked == 0 || near.relative < 1e-9));
    }
  }
}

TEST_CASE("A number at a kink is skipped and counted, and a neighbour is checked instead", "[numerics]") {
  // The sum of |x_i|, where x_3, x_4 and x_6 are at the kink.
  std::vector<double> x = {-2, 1, -1, 0, 0, 3, 0, 0.5};
  std::vector<double> d_x = {-1, 1, -1, 1, -1, 1, 0.5, 1};
  const auto loss = [&] {
    double sum = 0;
    for (const double value : x) {
      sum += std::abs(value);
    }
    return sum;
  };
  const GradientError all = check_gradient(x, d_x, loss);
  CHECK(all.relative < 1e-9);
  CHECK(all.checked == 5);
  CHECK(all.kinks == 3);

  const GradientError some = check_gradient(x, d_x, loss, 2);  // x_0 and x_4, whose neighbour is x_5
  CHECK(some.relative < 1e-9);
  CHECK(some.checked == 2);
  CHECK(some.kinks == 1);
  d_x[5] *= 1.001;
  CHECK(check_gradient(x, d_x, loss, 2).worst == 5);

  // If every number is at a kink, none is checked, and the gradient must not count as correct.
  std::vector<double> zeros(8, 0.0);
  x = zeros;
  const GradientError none = check_gradient(x, zeros, loss);
  CHECK(none.checked == 0);
  CHECK(none.kinks == 8);
  CHECK_FALSE(none.relative < 1e-7);
}

TEST_CASE("Among kinks, the gradient checker finds the one entry that is a millionth too large, or missing",
          "[numerics]") {
  ManyKinks many;
  many.bias[3] = -many.input[0];  // this unit is at a kink and is skipped
  for (std::size_t i = 0; i < many.bias.size(); ++i) {
    if (i == 3) {
      continue;
    }
    CAPTURE(i);
    std::vector<double> spoiled = many.gradient();
    spoiled[i] *= 1 + 1e-6;
    const GradientError error = many.check(spoiled);
    CHECK(error.checked == 19);
    CHECK(error.kinks == 1);
    CHECK(error.relative > 1e-7);
    CHECK(error.worst == static_cast<Index>(i));
    spoiled[i] = 0;
    CHECK(many.check(spoiled).relative > 0.1);
  }
  CHECK(many.check(std::vector<double>(20, 0.0)).relative == Approx(1));
}

TEST_CASE("In a sparse gradient, the checker mostly moves numbers that matter, and a few of the others", "[numerics]") {
  // Rows 40 and 41 of an embedding of 100 rows and 4 columns are used: loss = sum of their squares.
  std::vector<double> x(400);
  std::vector<double> d_x(400, 0.0);
  RandomValues random(3);
  for (double& value : x) {
    value = random.number(0.5, 1.5);
  }
  std::vector<bool> moved(400, false);
  const auto loss_of = [&](std::size_t begin, std::size_t end) {
    return [&x, &moved, before = x, begin, end] {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) {
        sum += x[i] * x[i];
      }
      for (std::size_t i = 0; i < x.size(); ++i) {
        moved[i] = moved[i] || x[i] != before[i];
      }
      return sum;
    };
  };
  for (std::size_t i = 160; i < 168; ++i) {
    d_x[i] = 2 * x[i];
  }

  const GradientError ten = check_gradient(x, d_x, loss_of(160, 168), 10);
  CHECK(ten.relative < 1e-9);
  CHECK(ten.checked == 10);
  CHECK(std::count(moved.begin() + 160, moved.begin() + 168, true) == 8);
  CHECK(std::count(moved.begin(), moved.end(), true) == 10);

  moved.assign(400, false);
  CHECK(check_gradient(x, d_x, loss_of(160, 168), 5).checked == 5);
  CHECK(std::count(moved.begin() + 160, moved.begin() + 168, true) == 4);

  // If few numbers matter, others fill the sample up to its limit.
  CHECK(check_gradient(x, d_x, loss_of(160, 168), 100).checked == 100);
  CHECK(check_gradient(x, d_x, loss_of(160, 168), 1).checked == 1);
  CHECK(check_gradient(x, d_x, loss_of(160, 168)).checked == 400);
  // A gradient that is 0 but should not be. The first number with gradient 0 is always in the sample.
  CHECK(check_gradient(x, d_x, loss_of(0, 168), 5).relative > 0.1);
}

TEST_CASE("With a limit, the gradient checker moves that many numbers, spread evenly", "[numerics]") {
  Cubic cubic(12);
  std::vector<double> spoiled = cubic.gradient();
  spoiled[1] *= 2;  // between 0 and 3: with a limit of 4, this is not checked
  const GradientError few = cubic.check(spoiled, 4);
  CHECK(few.checked == 4);
  CHECK(few.relative < 1e-9);

  spoiled[9] *= 2;
  const GradientError last = cubic.check(spoiled, 4);
  CHECK(last.relative > 0.1);
  CHECK(last.worst == 9);

  CHECK(cubic.check(spoiled, 100).checked == 12);
}
