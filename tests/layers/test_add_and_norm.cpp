#include "catch.hpp"
#include "gradients.hpp"
#include "layers/add_and_norm.hpp"

using namespace glassformer;
using Parameters = AddAndNorm<double>::Parameters;

namespace {

constexpr Index kSentences[] = {5, 2};
constexpr Pass kPass{.training = true, .seed = 1, .update = 2, .sentences = kSentences};
constexpr Site kSite = 3;

/// Add & norm around a sublayer that is simple but not linear: u * u * slope for each number u it reads.
struct Example {
  RandomValues random{1};
  Learned<Parameters, double> learned{random, "norm", Index{4}};
  Norm norm;
  double dropout;
  Buffer<double> x = random.matrix(6, 4), slope = random.matrix(6, 4), d_y = random.matrix(6, 4);
  Buffer<double> sublayer_output, d_sublayer_input;
  AddAndNorm<double>::Cache cache;

  Example(Norm norm_, double dropout_) : norm(norm_), dropout(dropout_) {}

  double loss() {
    const Buffer<double>& u = AddAndNorm<double>::enter(norm, learned.p(), x, cache);
    sublayer_output.resize_like(u);
    sublayer_output = u.cwiseProduct(u).cwiseProduct(slope);
    AddAndNorm<double>::leave(norm, learned.p(), x, sublayer_output, dropout, kPass, kSite, cache);
    return weighted_sum(cache.output, d_y);
  }
  void backward(Parameters& grad) {
    AddAndNorm<double>::leave_backward(norm, learned.p(), cache, d_y, grad);
    const Buffer<double>& u = AddAndNorm<double>::entered(norm, x, cache);
    d_sublayer_input.resize_like(u);
    d_sublayer_input = 2 * cache.d_sublayer.cwiseProduct(u).cwiseProduct(slope);
    AddAndNorm<double>::enter_backward(norm, learned.p(), cache, d_sublayer_input, grad);
  }
  Buffer<double> normed(const Buffer<double>& rows) {
    LayerNorm<double>::Cache norm_cache;
    Buffer<double> y;
    LayerNorm<double>::forward(learned.p(), rows, norm_cache, y);
    return y;
  }
  /// What the sublayer gives, with dropout.
  Buffer<double> dropped(const Buffer<double>& u) {
    Buffer<double> y(6, 4);
    y = u.cwiseProduct(u).cwiseProduct(slope);
    Dropout<double>::Cache dropout_cache;
    Dropout<double>::forward(dropout, kPass, kSite, 1, y, dropout_cache);
    return y;
  }
};

}  // namespace

TEST_CASE("Post-norm is LayerNorm(x + dropout(sublayer(x)))", "[layers]") {
  Example example(Norm::post, 0.4);
  example.loss();
  Buffer<double> sum(6, 4);
  sum = example.x + example.dropped(example.x);
  CHECK(largest_difference(example.cache.output, example.normed(sum)) < 1e-15);
}

TEST_CASE("Pre-norm is x + dropout(sublayer(LayerNorm(x)))", "[layers]") {
  Example example(Norm::pre, 0.4);
  example.loss();
  const Buffer<double> dropped = example.dropped(example.normed(example.x));
  CHECK(largest_difference(example.cache.output, example.x + dropped) < 1e-15);
}

TEST_CASE("The gradients of add & norm are what differences say, before and after, with dropout too", "[layers]") {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    for (const double dropout : {0.0, 0.4}) {
      CAPTURE(norm == Norm::post, dropout);
      Example example(norm, dropout);
      require_gradients<Parameters>(
          example.learned, [&] { return example.loss(); }, [&](Parameters& grad) { example.backward(grad); },
          {{"x", example.x, example.cache.d_input}});
    }
  }
}

TEST_CASE("With pre-norm the stream passes by the sublayer: its gradient arrives as it is", "[layers]") {
  Example example(Norm::pre, 0);
  example.slope.setZero();  // the sublayer gives nothing and takes nothing
  example.loss();
  example.backward(example.learned.grad());
  CHECK(largest_difference(example.cache.output, example.x) == 0);
  CHECK(largest_difference(example.cache.d_input, example.d_y) == 0);
}
