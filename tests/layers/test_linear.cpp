#include "catch.hpp"
#include "glassformer/layers/linear.hpp"
#include "gradients.hpp"
#include "single_layer.hpp"

using namespace glassformer;

TEST_CASE("A linear map multiplies each row by the transposed weight and adds the bias", "[layers]") {
  RandomValues random(1);
  SingleLayer<Linear<double>> map(random, 3, 2);
  const Buffer<double> x = random.matrix(4, 3);
  const Buffer<double>& y = map->forward({}, x);
  REQUIRE(y.rows() == 4);
  REQUIRE(y.cols() == 2);
  for (Index n = 0; n < 4; ++n) {
    for (Index out = 0; out < 2; ++out) {
      double expected = map->bias.value()[out];
      for (Index in = 0; in < 3; ++in) {
        expected += x(n, in) * map->weight.value()(out, in);
      }
      CHECK(y(n, out) == Approx(expected).epsilon(1e-14));
    }
  }
}

TEST_CASE("The gradients of a linear map are right", "[layers]") {
  RandomValues random(2);
  SingleLayer<Linear<double>> map(random, 5, 7);
  Buffer<double> x = random.matrix(4, 5);
  const Buffer<double> d_y = random.matrix(4, 7);
  require_gradients(
      map, [&] { return weighted_sum(map->forward({}, x), d_y); },
      [&]() -> InputGradients {
        return {{"x", x, map->backward({}, d_y)}};
      });
}

TEST_CASE("A linear map has the tensors of torch.nn.Linear: weight [out, in], then bias [out]", "[layers]") {
  RandomValues random(3);
  const SingleLayer<Linear<double>> map(random, 5, 7);
  const auto& tensors = map.weights.tensors();
  REQUIRE(tensors.size() == 2);
  CHECK(tensors[0].name == "layer.weight");
  CHECK(tensors[0].shape == std::vector<Index>{7, 5});
  CHECK(tensors[1].name == "layer.bias");
  CHECK(tensors[1].shape == std::vector<Index>{7});
}

TEST_CASE("Linear maps can share parameters: some outputs of one map can form another map", "[layers]") {
  RandomValues random(4);
  SingleLayer<Linear<double>> map(random, 5, 6);
  Linear<double> part("part", map->weight.middle_rows(2, 3), map->bias.middle(2, 3));
  const Buffer<double> x = random.matrix(3, 5);
  const Buffer<double> d_y = random.matrix(3, 3);
  const Buffer<double>& all = map->forward({}, x);
  const Buffer<double>& some = part.forward({}, x);
  CHECK(largest_difference(some, all.view().middle_cols(2, 3)) < 1e-15);

  // Both add to the same gradient.
  Buffer<double> d_all(3, 6);
  d_all.fill(0);
  d_all.eigen().middleCols(2, 3) = d_y.eigen();
  map->backward({}, d_all);
  const RowVector<double> once = map.gradient.values().eigen();
  part.backward({}, d_y);
  CHECK(largest_difference(map.gradient.values(), 2 * once) < 1e-14);
}
