#include <cmath>

#include "catch.hpp"
#include "gradients.hpp"
#include "layers/activation.hpp"

using namespace glassformer;

namespace {

constexpr Activation kActivations[] = {Activation::relu, Activation::gelu, Activation::swish};

double activate_one(Activation activation, double number) {
  const Buffer<double> x{{number}};
  return ActivationLayer<double>("layer", activation).forward({}, x)(0, 0);
}

}  // namespace

TEST_CASE("ReLU is max(0, x)", "[layers]") {
  CHECK(activate_one(Activation::relu, -2.5) == 0);
  CHECK(activate_one(Activation::relu, 0) == 0);
  CHECK(activate_one(Activation::relu, 2.5) == 2.5);
}

TEST_CASE("GELU is x times the standard normal CDF, not its tanh approximation", "[layers]") {
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

TEMPLATE_TEST_CASE("No activation overflows, forward or backward", "[layers]", float, double) {
  for (const Activation activation : kActivations) {
    ActivationLayer<TestType> layer("layer", activation);
    const Buffer<TestType> x{{TestType(-1e30), TestType(-200), TestType(200), TestType(1e30)}};
    const Buffer<TestType>& y = layer.forward({}, x);
    Buffer<TestType> d{{1, 1, 1, 1}};
    layer.backward_in_place({}, d);
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

TEST_CASE("The gradient of every activation is right", "[layers]") {
  for (const Activation activation : kActivations) {
    CAPTURE(static_cast<int>(activation));
    RandomValues random(1);
    Buffer<double> x = random.matrix(4, 5);
    x.eigen() *= 3;
    REQUIRE(x.eigen().cwiseAbs().minCoeff() > 1e-3);  // away from 0, where ReLU has a kink
    const Buffer<double> d_y = random.matrix(4, 5);
    Buffer<double> d_x;
    ActivationLayer<double> layer("layer", activation);
    require_gradients([&] { return weighted_sum(layer.forward({}, x), d_y); },
                      [&]() -> InputGradients {
                        d_x = d_y;
                        layer.backward_in_place({}, d_x);
                        return {{"x", x, d_x}};
                      });
  }
}

TEST_CASE("At 0 the slope of ReLU is taken as 0", "[layers]") {
  ActivationLayer<double> relu("layer", Activation::relu);
  const Buffer<double> x{{0.0, -0.0}};
  relu.forward({}, x);
  Buffer<double> d{{3, 4}};
  relu.backward_in_place({}, d);
  CHECK(d.eigen().isZero(0));
}
