#include <algorithm>
#include <cmath>
#include <limits>

#include "activation_formulas.hpp"
#include "catch.hpp"
#include "every_value.hpp"
#include "glassformer/layers/activation.hpp"
#include "gradients.hpp"

using namespace glassformer;

namespace {

double activate_one(Activation activation, double number) {
  const Buffer<double> x{{number}};
  return ActivationLayer<double>("layer", activation).forward({}, x)(0, 0);
}

}  // namespace

TEMPLATE_TEST_CASE("Every activation has the values and slopes of its formula, however large the input", "[layers]",
                   float, double) {
  const double tolerance = 10 * std::numeric_limits<TestType>::epsilon();
  for (const Activation activation : every_value<Activation>(kActivationNames)) {
    const ActivationFormula& formula = formula_of(activation);
    ActivationLayer<TestType> layer("layer", activation);
    for (const double number : {-1e18, -200.0, -4.0, -1.0, -0.125, 0.0, 0.5, 1.0, 3.0, 200.0, 1e18}) {
      CAPTURE(static_cast<int>(activation), number);
      const Buffer<TestType> x{{static_cast<TestType>(number)}};
      const double value = formula.value(number);
      const double slope = formula.slope(number);
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
