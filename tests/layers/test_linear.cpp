#include "catch.hpp"
#include "gradients.hpp"
#include "layers/linear.hpp"

using namespace glassformer;
using Parameters = Linear<double>::Parameters;

TEST_CASE("A linear map multiplies each row by the transposed weight and adds the bias", "[layers]") {
  RandomValues random(1);
  Learned<Parameters, double> learned(random, "map", Index{3}, Index{2});
  const Parameters& p = learned.p();
  const Buffer<double> x = random.matrix(4, 3);
  Buffer<double> y;
  Linear<double>::forward(p, x, y);
  REQUIRE(y.rows() == 4);
  REQUIRE(y.cols() == 2);
  for (Index n = 0; n < 4; ++n) {
    for (Index out = 0; out < 2; ++out) {
      double expected = p.bias(out);
      for (Index in = 0; in < 3; ++in) expected += x(n, in) * p.weight(out, in);
      CHECK(y(n, out) == Approx(expected).epsilon(1e-14));
    }
  }
}

TEST_CASE("The gradients of a linear map are what differences say", "[layers]") {
  RandomValues random(2);
  Learned<Parameters, double> learned(random, "map", Index{5}, Index{7});
  Buffer<double> x = random.matrix(4, 5), y, d_x(9, 9);
  const Buffer<double> d_y = random.matrix(4, 7);
  require_gradients<Parameters>(
      learned,
      [&] {
        Linear<double>::forward(learned.p(), x, y);
        return weighted_sum(y, d_y);
      },
      [&](Parameters& grad) { Linear<double>::backward(learned.p(), x, d_y, grad, d_x); }, {{"x", x, d_x}});
}

TEST_CASE("A linear map's names and places are those of torch.nn.Linear: weight [out, in], then bias [out]",
          "[layers]") {
  RandomValues random(3);
  const Learned<Parameters, double> learned(random, "fc1", Index{5}, Index{7});
  const auto& tensors = learned.parameters.tensors();
  REQUIRE(tensors.size() == 2);
  CHECK(tensors[0].name == "fc1.weight");
  CHECK(tensors[0].shape == std::vector<Index>{7, 5});
  CHECK(tensors[1].name == "fc1.bias");
  CHECK(tensors[1].shape == std::vector<Index>{7});
}

TEST_CASE("Some of a map's outputs are a map of their own, in the same memory", "[layers]") {
  RandomValues random(4);
  Learned<Parameters, double> learned(random, "map", Index{5}, Index{6});
  const Buffer<double> x = random.matrix(3, 5);
  Buffer<double> all, some;
  Linear<double>::forward(learned.p(), x, all);
  Linear<double>::forward(learned.p().outputs(2, 3), x, some);
  CHECK(largest_difference(some, all.middleCols(2, 3)) < 1e-15);

  learned.p().outputs(2, 3).weight(0, 4) = 17;
  learned.p().outputs(2, 3).bias(2) = 18;
  CHECK(learned.p().weight(2, 4) == 17);
  CHECK(learned.p().bias(4) == 18);
}
