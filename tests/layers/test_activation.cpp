#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string>

#include "catch.hpp"
#include "every_value.hpp"
#include "glassformer/layers/activation.hpp"
#include "gradients.hpp"

using namespace glassformer;

namespace {

double logistic(double x) { return 0.5 + 0.5 * std::tanh(x / 2); }
double normal_probability(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// What an activation computes, written with the standard library, and the slope.
struct Formula {
  double (*value)(double x);
  double (*slope)(double x);
};
const std::map<std::string, Formula> kFormulas = {
    {"relu", {[](double x) { return std::max(x, 0.0); }, [](double x) { return x > 0 ? 1.0 : 0.0; }}},
    {"gelu",
     {[](double x) { return x * normal_probability(x); },
      [](double x) { return normal_probability(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }}},
    {"swish",
     {[](double x) { return x * logistic(x); }, [](double x) { return logistic(x) + x * logistic(x) * logistic(-x); }}},
};

double activate_one(Activation activation, double number) {
  const Buffer<double> x{{number}};
  return ActivationLayer<double>("layer", activation).forward({}, x)(0, 0);
}

}  // namespace

TEMPLATE_TEST_CASE("Every activation has the values and slopes of its formula, however large the input", "[layers]",
                   float, double) {
  const double tolerance = 10 * std::numeric_limits<TestType>::epsilon();
  for (const Activation activation : every_value<Activation>(kActivationNames)) {
    const std::string name = kActivationNames[static_cast<std::size_t>(activation)];
    ActivationLayer<TestType> layer("layer", activation);
    for (const double number : {-1e18, -200.0, -4.0, -1.0, -0.125, 0.0, 0.5, 1.0, 3.0, 200.0, 1e18}) {
      CAPTURE(name, number);
      const Buffer<TestType> x{{static_cast<TestType>(number)}};
      const double value = kFormulas.at(name).value(number);
      const double slope = kFormulas.at(name).slope(number);
      CHECK(std::abs(layer.forward({}, x)(0, 0) - value) <= tolerance * std::max(1.0, std::abs(value)));
      Buffer<TestType> d{{1}};
      layer.backward_in_place({}, d);
      CHECK(std::abs(d(0, 0) - slope) <= tolerance * std::max(1.0, std::abs(slope)));
    }
  }
}

TEST_CASE("ReLU is max(0, x)", "[layers]") {
  CHECK(activate_one(Activation::relu, -2.5) == 0);
  CHECK(activate_one(Activation::relu, 0) == 0);
  CHECK(activate_one(Activation::relu, 2.5) == 2.5);
}

TEST_CASE("GELU is x times the standard normal CDF, not its tanh approximation", "[layers]") {
  CHECK(activate_one(Activation::gelu, 1) == Approx(0.8413447460685429).epsilon(1e-14));  // 0.8411920 by tanh
}

TEST_CASE("The gradient of every activation is right", "[layers]") {
  for (const Activation activation : every_value<Activation>(kActivationNames)) {
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
