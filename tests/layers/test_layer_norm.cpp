#include <cmath>

#include "catch.hpp"
#include "gradients.hpp"
#include "layers/layer_norm.hpp"

using namespace glassformer;
using Parameters = LayerNorm<double>::Parameters;

TEST_CASE("Layer normalisation takes mean and variance of each row, the variance divided by D", "[layers]") {
  RandomValues random(1);
  Learned<Parameters, double> learned(random, "norm", Index{6});
  const Buffer<double> x = random.matrix(4, 6);
  LayerNorm<double>::Cache cache;
  Buffer<double> y;
  LayerNorm<double>::forward(learned.p(), x, cache, y);
  for (Index n = 0; n < 4; ++n) {
    double mean = 0, variance = 0;
    for (Index i = 0; i < 6; ++i) mean += x(n, i) / 6;
    for (Index i = 0; i < 6; ++i) variance += (x(n, i) - mean) * (x(n, i) - mean) / 6;
    for (Index i = 0; i < 6; ++i) {
      const double x_hat = (x(n, i) - mean) / std::sqrt(variance + 1e-5);
      CHECK(y(n, i) == Approx(learned.p().gain(i) * x_hat + learned.p().bias(i)).epsilon(1e-12));
    }
  }
}

TEST_CASE("Layer normalisation of [1 0 0 0] is that of torch.nn.LayerNorm", "[layers]") {
  RandomValues random(1);
  Learned<Parameters, double> learned(random, "norm", Index{4});
  learned.p().gain.setOnes();
  learned.p().bias.setZero();
  Buffer<double> x(1, 4), y;
  x << 1, 0, 0, 0;
  LayerNorm<double>::Cache cache;
  LayerNorm<double>::forward(learned.p(), x, cache, y);
  CHECK(std::abs(y(0, 0) - 1.7320) < 1e-4);  // 1.5 with a variance divided by D - 1
  for (Index i = 1; i < 4; ++i) CHECK(std::abs(y(0, i) + 0.5773) < 1e-4);
}

TEST_CASE("A row of equal numbers is normalised to the bias, without dividing by zero", "[layers]") {
  RandomValues random(2);
  Learned<Parameters, double> learned(random, "norm", Index{6});
  Buffer<double> x(2, 6), y, d_x;
  x.row(0).setZero();
  x.row(1).setConstant(0.5);
  LayerNorm<double>::Cache cache;
  LayerNorm<double>::forward(learned.p(), x, cache, y);
  for (Index n = 0; n < 2; ++n) CHECK(largest_difference(y.row(n), learned.p().bias) < 1e-12);
  const Buffer<double> d_y = random.matrix(2, 6);
  LayerNorm<double>::backward(learned.p(), cache, d_y, learned.grad(), d_x);
  CHECK(d_x.allFinite());
}

TEST_CASE("The gradients of layer normalisation are what differences say", "[layers]") {
  RandomValues random(3);
  Learned<Parameters, double> learned(random, "norm", Index{6});
  Buffer<double> x = random.matrix(5, 6), y, d_x(9, 9);
  const Buffer<double> d_y = random.matrix(5, 6);
  LayerNorm<double>::Cache cache;
  require_gradients<Parameters>(
      learned,
      [&] {
        LayerNorm<double>::forward(learned.p(), x, cache, y);
        return weighted_sum(y, d_y);
      },
      [&](Parameters& grad) { LayerNorm<double>::backward(learned.p(), cache, d_y, grad, d_x); }, {{"x", x, d_x}});
}

TEST_CASE("Adding the same to a whole row changes nothing, so the gradient of a row sums to zero", "[layers]") {
  RandomValues random(4);
  Learned<Parameters, double> learned(random, "norm", Index{6});
  const Buffer<double> x = random.matrix(5, 6), d_y = random.matrix(5, 6);
  Buffer<double> shifted(5, 6), y, y_of_shifted, d_x;
  shifted = (x.array() + 3).matrix();
  LayerNorm<double>::Cache cache;
  LayerNorm<double>::forward(learned.p(), shifted, cache, y_of_shifted);
  LayerNorm<double>::forward(learned.p(), x, cache, y);
  CHECK(largest_difference(y, y_of_shifted) < 1e-13);
  LayerNorm<double>::backward(learned.p(), cache, d_y, learned.grad(), d_x);
  CHECK(d_x.rowwise().sum().cwiseAbs().maxCoeff() < 1e-14);
}
