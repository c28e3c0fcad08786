#include "catch.hpp"
#include "glassformer/layers/add_and_norm.hpp"
#include "gradients.hpp"
#include "single_layer.hpp"

using namespace glassformer;

namespace {

/// A sublayer that is simple but not linear: u * u * slope for each number u it reads.
struct SquaringSublayer {
  Buffer<double> slope, y, d_u;
  const Buffer<double>* u = nullptr;

  SquaringSublayer(const Part<double>&, const Buffer<double>& slope_) : slope(slope_) {}
  Buffer<double>& forward(const Pass&, const Buffer<double>& u_) {
    u = &u_;
    return y = buffer_of(u->eigen().cwiseProduct(u->eigen()).cwiseProduct(slope.eigen()));
  }
  Buffer<double>& backward(const Pass&, const Buffer<double>& d_y) {
    return d_u = buffer_of(2 * d_y.eigen().cwiseProduct(u->eigen()).cwiseProduct(slope.eigen()));
  }
};

/// Add & norm around this sublayer. Its part is split as in a model: the sublayer's part comes first.
struct SquaringBlock : AddAndNorm<SquaringSublayer, double> {
  SquaringBlock(const Part<double>& part, const Buffer<double>& slope, const AddAndNormSettings& settings)
      : AddAndNorm(part.at("squares"), slope, part.at("norm"), settings) {}
};

struct AddAndNormExample {
  RandomValues random{1};
  double dropout;
  Buffer<double> x = random.matrix(6, 4), slope = random.matrix(6, 4), d_y = random.matrix(6, 4);
  SingleLayer<SquaringBlock> block;

  AddAndNormExample(Norm norm, double dropout_, bool residual = true)
      : dropout(dropout_), block(random, slope, AddAndNormSettings{norm, 4, dropout, residual}) {}

  const Buffer<double>& forward() { return block->forward(kTrainingPass, x); }
  const Buffer<double>& backward() { return block->backward(kTrainingPass, d_y); }
  Buffer<double> normed(const Buffer<double>& rows) { return block->residual.layer_norm.forward({}, rows); }
  /// The sublayer's output after dropout. This dropout has site 0, like that of the residual connection.
  Buffer<double> dropped(const Buffer<double>& u) {
    Buffer<double> y = block->sublayer.forward({}, u);
    SingleLayer<Dropout<double>>(random, dropout)->forward_in_place(kTrainingPass, y);
    return y;
  }
};

}  // namespace

TEST_CASE("Post-norm is LayerNorm(x + dropout(sublayer(x)))", "[layers]") {
  AddAndNormExample example(Norm::post, 0.4);
  const Buffer<double> y = example.forward();
  const Buffer<double> sum = buffer_of(example.x.eigen() + example.dropped(example.x).eigen());
  CHECK(largest_difference(y, example.normed(sum)) < 1e-15);
}

TEST_CASE("Pre-norm is x + dropout(sublayer(LayerNorm(x)))", "[layers]") {
  AddAndNormExample example(Norm::pre, 0.4);
  const Buffer<double> y = example.forward();
  const Buffer<double> dropped = example.dropped(example.normed(example.x));
  CHECK(largest_difference(y, example.x.eigen() + dropped.eigen()) < 1e-15);
}

TEST_CASE("Without the residual sum, post-norm is LayerNorm(dropout(sublayer(x)))", "[layers]") {
  AddAndNormExample example(Norm::post, 0.4, false);
  const Buffer<double> y = example.forward();
  CHECK(largest_difference(y, example.normed(example.dropped(example.x))) < 1e-15);
}

TEST_CASE("Without the residual sum, pre-norm is dropout(sublayer(LayerNorm(x)))", "[layers]") {
  AddAndNormExample example(Norm::pre, 0.4, false);
  const Buffer<double> y = example.forward();
  CHECK(largest_difference(y, example.dropped(example.normed(example.x))) < 1e-15);
}

TEST_CASE("The gradients of add & norm are right for post-norm and pre-norm, with and without dropout and residual sum",
          "[layers]") {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    for (const double dropout : {0.0, 0.4}) {
      for (const bool residual : {true, false}) {
        CAPTURE(norm == Norm::post, dropout, residual);
        AddAndNormExample example(norm, dropout, residual);
        require_gradients(
            example.block, [&] { return weighted_sum(example.forward(), example.d_y); },
            [&]() -> InputGradients {
              return {{"x", example.x, example.backward()}};
            });
      }
    }
  }
}

TEST_CASE("With pre-norm the residual stream bypasses the sublayer: its gradient arrives unchanged", "[layers]") {
  AddAndNormExample example(Norm::pre, 0);
  example.block->sublayer.slope.fill(0);  // the sublayer adds nothing, forward or backward
  CHECK(largest_difference(example.forward(), example.x) == 0);
  CHECK(largest_difference(example.backward(), example.d_y) == 0);
}
