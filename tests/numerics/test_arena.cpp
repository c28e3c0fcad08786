#include <type_traits>

#include "catch.hpp"
#include "glassformer/numerics/parameter.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

/// Four tensors, and a parameter that is tied to the first of them.
struct FewParameters {
  BoundMemory<float> memory;
  ParameterCursor<float> cursor{memory};
  MatrixParameter<float> table = cursor.matrix("table", 4, 3, Role::projection);
  MatrixParameter<float> weight = cursor.matrix("inner.weight", 5, 2, Role::projection);
  VectorParameter<float> bias = cursor.vector("inner.bias", 5, Role::bias);
  MatrixParameter<float> tied = table;
  VectorParameter<float> last = cursor.vector("last", 1, Role::bias);
  Arena<float> weights{cursor.tensors()}, gradient{cursor.tensors()};

  FewParameters() {
    memory = {weights.values().data(), gradient.values().data()};
    for (Index i = 0; i < weights.size(); ++i) {
      weights.values()[i] = static_cast<float>(i);
    }
  }
};

}  // namespace

TEST_CASE("An arena stores its tensors without gaps, in the order in which they were requested", "[numerics]") {
  const FewParameters p;
  const auto& tensors = p.weights.tensors();
  REQUIRE(tensors.size() == 4);
  CHECK(tensors[0].name == "table");
  CHECK(tensors[1].name == "inner.weight");
  CHECK(tensors[2].name == "inner.bias");
  CHECK(tensors[3].name == "last");
  CHECK(tensors[0].shape == std::vector<Index>{4, 3});
  CHECK(tensors[1].shape == std::vector<Index>{5, 2});
  CHECK(tensors[2].shape == std::vector<Index>{5});
  Index next = 0;
  for (const TensorPlace& tensor : tensors) {
    CHECK(tensor.offset == next);
    Index size = 1;
    for (const Index dimension : tensor.shape) {
      size *= dimension;
    }
    CHECK(tensor.size == size);
    next += tensor.size;
  }
  CHECK(p.weights.size() == next);
  CHECK(next == 12 + 10 + 5 + 1);
}

TEST_CASE("An arena starts at zero, and an arena without tensors is empty", "[numerics]") {
  CHECK(FewParameters().gradient.values().eigen().isZero(0));
  CHECK(Arena<double>(std::vector<TensorPlace>()).size() == 0);
}

TEST_CASE("A parameter's value is its slice of the bound weights", "[numerics]") {
  FewParameters p;
  CHECK(p.table.rows() == 4);
  CHECK(p.table.cols() == 3);
  CHECK(p.bias.size() == 5);
  CHECK(p.table.value()(0, 0) == 0);
  CHECK(p.table.value()(1, 2) == 5);  // row-major: 1 * 3 + 2
  CHECK(p.weight.value()(2, 1) == 12 + 2 * 2 + 1);
  CHECK(p.bias.value()[4] == 12 + 10 + 4);
  CHECK(p.last.value()[0] == 27);

  p.bias.in(p.weights)[0] = -1;
  CHECK(p.bias.value()[0] == -1);
  CHECK(p.weights.values()[22] == -1);
  CHECK(p.weights.values(p.weights.tensors()[2])[0] == -1);
  CHECK(p.weights.values(p.weights.tensors()[2]).size() == 5);
  p.weight.in(p.weights)(0, 1) = -2;
  CHECK(p.weights.values()[13] == -2);
}

TEST_CASE("Parameters use the bound memory, with weights and gradient bound separately", "[numerics]") {
  FewParameters p;
  Arena<float> other_weights(p.cursor.tensors());
  Arena<float> other_gradient(p.cursor.tensors());
  const MatrixParameter<float> copy = p.weight;
  p.weight.gradient()(1, 1) = 3;
  CHECK(p.gradient.values()[12 + 3] == 3);

  p.memory.gradient = other_gradient.values().data();
  p.weight.gradient()(1, 1) += 4;
  p.last.gradient()[0] += 5;
  CHECK(p.gradient.values()[12 + 3] == 3);
  CHECK(other_gradient.values()[12 + 3] == 4);
  CHECK(other_gradient.values()[27] == 5);
  CHECK(p.weight.value()(1, 1) == 12 + 3);

  p.memory.weights = other_weights.values().data();
  CHECK(copy.value()(1, 1) == 0);
}

TEST_CASE("A copy of a parameter is the same parameter, has no tensor of its own, and adds to the same gradient",
          "[numerics]") {
  FewParameters p;
  p.tied.in(p.weights)(3, 2) = 7;
  CHECK(p.table.value()(3, 2) == 7);
  p.table.gradient()(3, 2) += 1;
  p.tied.gradient()(3, 2) += 2;
  CHECK(p.gradient.values()[11] == 3);
}

TEST_CASE("Adjacent parameters of the same width can be combined into one, and some of its rows used as another",
          "[numerics]") {
  BoundMemory<float> memory;
  ParameterCursor<float> cursor(memory);
  const auto q = cursor.matrix("q", 2, 3, Role::projection);
  const auto k = cursor.matrix("k", 4, 3, Role::projection);
  const auto v = cursor.matrix("v", 1, 3, Role::projection);
  const auto a = cursor.vector("a", 2, Role::bias);
  const auto b = cursor.vector("b", 4, Role::bias);
  const MatrixParameter<float> all = q.with(k).with(v);
  const VectorParameter<float> both = a.with(b);
  Arena<float> weights(cursor.tensors());
  Arena<float> gradient(cursor.tensors());
  for (Index i = 0; i < weights.size(); ++i) {
    weights.values()[i] = static_cast<float>(i);
  }
  memory = {weights.values().data(), gradient.values().data()};

  CHECK(all.rows() == 7);
  CHECK(all.cols() == 3);
  CHECK(same_bits(all.value().middle_rows(2, 4), k.value()));
  CHECK(same_bits(all.middle_rows(2, 4).value(), k.value()));
  CHECK(all.middle_rows(6, 1).value().data() == v.value().data());
  CHECK(all.middle_rows(2, 4).middle_rows(1, 2).value()(0, 0) == 9);
  all.middle_rows(2, 4).gradient()(3, 2) += 1;
  CHECK(k.gradient()(3, 2) == 1);

  CHECK(both.size() == 6);
  CHECK(both.value().data() == a.value().data());
  CHECK(both.middle(2, 4).value().data() == b.value().data());
  CHECK(both.middle(3, 2).size() == 2);
  both.middle(3, 2).gradient()[1] += 1;
  CHECK(b.gradient()[2] == 1);
  CHECK(both.middle(5, 1).in(weights)[0] == 21 + 5);
}

TEST_CASE("Two arenas with the same tensors share no memory, nor do copies", "[numerics]") {
  FewParameters p;
  p.gradient.values().eigen().setOnes();
  CHECK(p.weights.values()[0] == 0);
  Arena<float> copy = p.weights;
  copy.values()[5] = -1;
  CHECK(p.weights.values()[5] == 5);
  CHECK(copy.tensors().size() == 4);
}
