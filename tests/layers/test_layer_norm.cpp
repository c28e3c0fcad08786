#include <cmath>

#include "catch.hpp"
#include "glassformer/layers/layer_norm.hpp"
#include "gradients.hpp"
#include "single_layer.hpp"

using namespace glassformer;

TEST_CASE("Layer normalisation uses the mean and variance of each row, with the variance divided by D", "[layers]") {
  RandomValues random(1);
  SingleLayer<LayerNorm<double>> norm(random, 6);
  const auto gain = norm->gain.value();
  const auto bias = norm->bias.value();
  const Buffer<double> x = random.matrix(4, 6);
  const Buffer<double>& y = norm->forward({}, x);
  for (Index n = 0; n < 4; ++n) {
    double mean = 0;
    double variance = 0;
    for (Index i = 0; i < 6; ++i) {
      mean += x(n, i) / 6;
    }
    for (Index i = 0; i < 6; ++i) {
      variance += (x(n, i) - mean) * (x(n, i) - mean) / 6;
    }
    for (Index i = 0; i < 6; ++i) {
      const double x_hat = (x(n, i) - mean) / std::sqrt(variance + 1e-5);
      CHECK(y(n, i) == Approx(gain[i] * x_hat + bias[i]).epsilon(1e-12));
    }
  }
}

TEST_CASE("Layer normalisation of [1 0 0 0] matches torch.nn.LayerNorm", "[layers]") {
  RandomValues random(1);
  SingleLayer<LayerNorm<double>> norm(random, 4);
  norm->gain.in(norm.weights).eigen().setOnes();
  norm->bias.in(norm.weights).eigen().setZero();
  const Buffer<double> x{{1, 0, 0, 0}};
  const Buffer<double>& y = norm->forward({}, x);
  CHECK(std::abs(y(0, 0) - 1.7320) < 1e-4);  // it would be 1.5 if the variance were divided by D - 1
  for (Index i = 1; i < 4; ++i) {
    CHECK(std::abs(y(0, i) + 0.5773) < 1e-4);
  }
}

TEST_CASE("A row of equal numbers is normalised to the bias, without dividing by zero", "[layers]") {
  RandomValues random(2);
  SingleLayer<LayerNorm<double>> norm(random, 6);
  Buffer<double> x(2, 6);
  x.eigen().row(0).setZero();
  x.eigen().row(1).setConstant(0.5);
  const Buffer<double>& y = norm->forward({}, x);
  for (Index n = 0; n < 2; ++n) {
    CHECK(largest_difference(y.row(n), norm->bias.value()) < 1e-12);
  }
  const Buffer<double> d_y = random.matrix(2, 6);
  CHECK(norm->backward({}, d_y).eigen().allFinite());
}

TEST_CASE("The gradients of layer normalisation are right", "[layers]") {
  RandomValues random(3);
  SingleLayer<LayerNorm<double>> norm(random, 6);
  Buffer<double> x = random.matrix(5, 6);
  const Buffer<double> d_y = random.matrix(5, 6);
  require_gradients(
      norm, [&] { return weighted_sum(norm->forward({}, x), d_y); },
      [&]() -> InputGradients {
        return {{"x", x, norm->backward({}, d_y)}};
      });
}

TEST_CASE("Adding a constant to a row changes nothing, so the gradient of a row sums to zero", "[layers]") {
  RandomValues random(4);
  SingleLayer<LayerNorm<double>> norm(random, 6);
  const Buffer<double> x = random.matrix(5, 6);
  const Buffer<double> d_y = random.matrix(5, 6);
  const Buffer<double> shifted = buffer_of((x.eigen().array() + 3).matrix());
  const Buffer<double> y_of_shifted = norm->forward({}, shifted);
  const Buffer<double>& y = norm->forward({}, x);
  CHECK(largest_difference(y, y_of_shifted) < 1e-13);
  CHECK(norm->backward({}, d_y).eigen().rowwise().sum().cwiseAbs().maxCoeff() < 1e-14);
}
