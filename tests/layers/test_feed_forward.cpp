#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "every_value.hpp"
#include "glassformer/layers/feed_forward.hpp"
#include "gradients.hpp"
#include "single_layer.hpp"

using namespace glassformer;

namespace {

/// A feed-forward network with everything that its gradient check needs. N = 6 rows of 2 sentences, D = 4, F = 7.
struct FeedForwardExample {
  RandomValues random;
  SingleLayer<FeedForward<double>> layer;
  Buffer<double> x = random.matrix(6, 4), d_y = random.matrix(6, 4);

  FeedForwardExample(std::uint64_t seed, Activation activation, double dropout)
      : random(seed), layer(random, FeedForwardSettings{4, 7, activation, dropout}) {}
  const Buffer<double>& forward() { return layer->forward(kTrainingPass, x); }
  const Buffer<double>& backward() { return layer->backward(kTrainingPass, d_y); }
  double loss() { return weighted_sum(forward(), d_y); }
};

}  // namespace

TEST_CASE("The feed-forward network is a linear map, an activation and a linear map", "[layers]") {
  for (const Activation activation : every_value<Activation>(kActivationNames)) {
    FeedForwardExample example(1, activation, 0);
    const Buffer<double> y = example.forward();
    ActivationLayer<double> activate("activation", activation);
    const Buffer<double>& expanded = example.layer->expand.forward({}, example.x);
    CHECK(largest_difference(y, example.layer->contract.forward({}, activate.forward({}, expanded))) < 1e-15);
  }
}

TEST_CASE("The gradients of the feed-forward network are right for any activation, with and without dropout",
          "[layers]") {
  for (const Activation activation : every_value<Activation>(kActivationNames)) {
    for (const double dropout : {0.0, 0.3}) {
      CAPTURE(static_cast<int>(activation), dropout);
      FeedForwardExample example(1, activation, dropout);
      const Buffer<double>& expanded = example.layer->expand.forward({}, example.x);
      REQUIRE(expanded.eigen().cwiseAbs().minCoeff() > 1e-3);  // away from ReLU's kink
      require_gradients(
          example.layer, [&] { return example.loss(); },
          [&]() -> InputGradients {
            return {{"x", example.x, example.backward()}};
          });
    }
  }
}

TEST_CASE("The gradient checker finds one entry of a real gradient that is off by a thousandth", "[layers]") {
  FeedForwardExample example(2, Activation::gelu, 0.3);
  example.forward();
  Buffer<double> d_x = example.backward();

  const auto error_after_corrupting = [&](std::span<double> values, std::span<double> gradient) {
    double& largest = *std::max_element(gradient.begin(), gradient.end(),
                                        [](double a, double b) { return std::abs(a) < std::abs(b); });
    largest *= 1.001;
    return check_gradient(values, gradient, [&] { return example.loss(); }).relative;
  };
  for (const TensorPlace& tensor : example.layer.weights.tensors()) {
    CAPTURE(tensor.name);
    const double error =
        error_after_corrupting(example.layer.weights.values(tensor), example.layer.gradient.values(tensor));
    CHECK(error > 1e-4);
    CHECK(error > kLargestGradientError);
  }
  CHECK(error_after_corrupting({example.x.data(), 24}, {d_x.data(), 24}) > kLargestGradientError);
}

TEST_CASE("The feed-forward network treats every token alike, at any position", "[layers]") {
  FeedForwardExample example(3, Activation::gelu, 0);
  const RowVector<double> third = example.forward().row(2).eigen();
  example.x.eigen().row(0) = example.x.eigen().row(2);
  CHECK(largest_difference(example.forward().row(0), third) < 1e-15);
}
