#include <cmath>

#include "catch.hpp"
#include "gradients.hpp"
#include "layers/activation.hpp"

using namespace glassformer;

namespace {

double activate_one(Activation activation, double x) {
  Buffer<double> in(1, 1), out;
  in(0, 0) = x;
  activate<double>(activation, in, out);
  return out(0, 0);
}

}  // namespace

TEST_CASE("ReLU is max(0, x)", "[layers]") {
  CHECK(activate_one(Activation::relu, -2.5) == 0);
  CHECK(activate_one(Activation::relu, 0) == 0);
  CHECK(activate_one(Activation::relu, 2.5) == 2.5);
}

TEST_CASE("GELU is x times the normal distribution's cumulative function, not its tanh approximation", "[layers]") {
  for (const double x : {-4.0, -1.0, -0.1, 0.0, 0.5, 1.0, 3.0}) {
    CHECK(std::abs(activate_one(Activation::gelu, x) - x * 0.5 * std::erfc(-x / std::sqrt(2.0))) < 1e-15);
  }
  CHECK(activate_one(Activation::gelu, 1) == Approx(0.8413447460685429).epsilon(1e-14));  // 0.8411920 by tanh
}

TEST_CASE("Swish is x times the logistic function", "[layers]") {
  for (const double x : {-4.0, -1.0, 0.0, 0.5, 3.0}) {
    CHECK(std::abs(activate_one(Activation::swish, x) - x * (0.5 + 0.5 * std::tanh(x / 2))) < 1e-15);
  }
}

TEMPLATE_TEST_CASE("No activation overflows, neither forward nor backward", "[layers]", float, double) {
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::swish}) {
    Buffer<TestType> x(1, 4), y, d(1, 4);
    x << TestType(-1e30), TestType(-200), TestType(200), TestType(1e30);
    activate<TestType>(activation, x, y);
    d.setOnes();
    activate_backward<TestType>(activation, x, d);
    for (Index i = 0; i < 2; ++i) {
      CHECK(std::abs(y(0, i)) < 1e-30);
      CHECK(std::abs(d(0, i)) < 1e-30);
    }
    for (Index i = 2; i < 4; ++i) {
      CHECK(y(0, i) == x(0, i));
      CHECK(d(0, i) == 1);
    }
  }
}

TEST_CASE("The gradient of every activation is what differences say", "[layers]") {
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::swish}) {
    CAPTURE(static_cast<int>(activation));
    RandomValues random(1);
    Buffer<double> x = random.matrix(4, 5), y, d_x(4, 5);
    x *= 3;
    REQUIRE(x.cwiseAbs().minCoeff() > 1e-3);  // clear of 0, where ReLU bends and differences say nothing
    const Buffer<double> d_y = random.matrix(4, 5);
    require_gradients(
        [&] {
          activate<double>(activation, x, y);
          return weighted_sum(y, d_y);
        },
        [&] {
          d_x.view() = d_y;
          activate_backward<double>(activation, x, d_x);
        },
        {{"x", x, d_x}});
  }
}

TEST_CASE("At 0 the slope of ReLU is taken as 0", "[layers]") {
  Buffer<double> x(1, 2), d(1, 2);
  x << 0.0, -0.0;
  d << 3, 4;
  activate_backward<double>(Activation::relu, x, d);
  CHECK(d.cwiseAbs().maxCoeff() == 0);
}
