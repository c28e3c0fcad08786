#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "gradients.hpp"
#include "layers/feed_forward.hpp"

using namespace glassformer;
using Parameters = FeedForward<double>::Parameters;

namespace {

constexpr Index kSentences[] = {5, 2};

/// A feed-forward network with everything that its gradient check needs. N = 6 rows of 2 sentences, D = 4, F = 7.
struct Example {
  RandomValues random;
  Learned<Parameters, double> learned{random, Index{4}, Index{7}};
  Activation activation;
  double dropout;
  Buffer<double> x = random.matrix(6, 4), d_y = random.matrix(6, 4);
  FeedForward<double>::Cache cache;

  Example(std::uint64_t seed, Activation activation_, double dropout_)
      : random(seed), activation(activation_), dropout(dropout_) {}
  double loss() {
    const Pass pass{.training = true, .seed = 1, .update = 2, .sentences = kSentences};
    FeedForward<double>::forward(learned.p(), activation, dropout, x, pass, 3, cache);
    return weighted_sum(cache.output, d_y);
  }
  void backward(Parameters& grad) { FeedForward<double>::backward(learned.p(), activation, x, cache, d_y, grad); }
};

}  // namespace

TEST_CASE("The feed-forward network is a linear map, an activation and a linear map", "[layers]") {
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::swish}) {
    Example example(1, activation, 0);
    example.loss();
    Buffer<double> expanded, activated, output;
    Linear<double>::forward(example.learned.p().expand, example.x, expanded);
    activate<double>(activation, expanded, activated);
    Linear<double>::forward(example.learned.p().contract, activated, output);
    CHECK(largest_difference(example.cache.output, output) < 1e-15);
  }
}

TEST_CASE("The gradients of the feed-forward network are what differences say, with any activation and dropout",
          "[layers]") {
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::swish}) {
    for (const double dropout : {0.0, 0.3}) {
      CAPTURE(static_cast<int>(activation), dropout);
      Example example(1, activation, dropout);
      example.loss();
      REQUIRE(example.cache.expanded.cwiseAbs().minCoeff() > 1e-3);  // clear of ReLU's bend
      require_gradients<Parameters>(
          example.learned, [&] { return example.loss(); }, [&](Parameters& grad) { example.backward(grad); },
          {{"x", example.x, example.cache.d_input}});
    }
  }
}

TEST_CASE("A real gradient that is wrong by a thousandth in one entry is found", "[layers]") {
  Example example(2, Activation::gelu, 0.3);
  example.loss();
  example.backward(example.learned.grad());

  const auto error_after_spoiling = [&](std::span<double> values, std::span<double> gradient) {
    double& largest = *std::max_element(gradient.begin(), gradient.end(),
                                        [](double a, double b) { return std::abs(a) < std::abs(b); });
    const double right = largest;
    largest *= 1.001;
    const double error = check_gradient(values, gradient, [&] { return example.loss(); }).relative;
    largest = right;
    return error;
  };
  for (const TensorPlace& tensor : example.learned.parameters.tensors()) {
    CAPTURE(tensor.name);
    const auto size = static_cast<std::size_t>(tensor.size);
    const double error = error_after_spoiling({example.learned.parameters.values(tensor).data(), size},
                                              {example.learned.gradient.values(tensor).data(), size});
    CHECK(error > 1e-4);
    CHECK(error > kLargestGradientError);
  }
  Matrix<double> d_x = example.cache.d_input;
  CHECK(error_after_spoiling({example.x.data(), 24}, {d_x.data(), 24}) > kLargestGradientError);
}

TEST_CASE("The feed-forward network treats every token alike, wherever it stands", "[layers]") {
  Example example(3, Activation::gelu, 0);
  example.loss();
  const RowVector<double> third = example.cache.output.row(2);
  example.x.row(0) = example.x.row(2).eval();
  example.loss();
  CHECK(largest_difference(example.cache.output.row(0), third) < 1e-15);
}
