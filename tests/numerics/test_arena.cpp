#include <type_traits>

#include "catch.hpp"
#include "numerics/arena.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

/// Three tensors, two of them within a scope, and one view that is tied to another's memory.
struct Parameters {
  using Scalar = float;
  MatrixView<float> table;
  struct Inner {
    MatrixView<float> weight;
    RowVectorView<float> bias;
    Inner(ArenaCursor<float>& cursor, Index width)
        : weight(cursor.matrix("weight", width, 2)), bias(cursor.vector("bias", width)) {}
  };
  Inner inner;
  MatrixView<float> tied;
  RowVectorView<float> last;

  Parameters(ArenaCursor<float>& cursor, Index width)
      : table(cursor.matrix("table", 4, 3)),
        inner(scoped(cursor, width)),
        tied(table),
        last(cursor.vector("last", 1)) {}

  static Inner scoped(ArenaCursor<float>& cursor, Index width) {
    const ArenaCursor<float>::Scope outer(cursor, "layers.0.");
    const ArenaCursor<float>::Scope scope(cursor, "inner.");
    return {cursor, width};
  }
};

}  // namespace

TEST_CASE("An arena's tensors lie one after the other, without gaps, in the order of the walk", "[numerics]") {
  const Arena<Parameters> arena(Index{5});
  REQUIRE(arena.tensors().size() == 4);
  CHECK(arena.tensors()[0].name == "table");
  CHECK(arena.tensors()[1].name == "layers.0.inner.weight");
  CHECK(arena.tensors()[2].name == "layers.0.inner.bias");
  CHECK(arena.tensors()[3].name == "last");
  CHECK(arena.tensors()[0].shape == std::vector<Index>{4, 3});
  CHECK(arena.tensors()[1].shape == std::vector<Index>{5, 2});
  CHECK(arena.tensors()[2].shape == std::vector<Index>{5});
  Index next = 0;
  for (const TensorPlace& tensor : arena.tensors()) {
    CHECK(tensor.offset == next);
    Index size = 1;
    for (const Index dimension : tensor.shape) size *= dimension;
    CHECK(tensor.size == size);
    next += tensor.size;
  }
  CHECK(arena.size() == next);
  CHECK(next == 12 + 10 + 5 + 1);
}

TEST_CASE("An arena starts at zero, and its views show its numbers", "[numerics]") {
  Arena<Parameters> arena(Index{5});
  CHECK((arena.values() == 0).all());

  for (Index i = 0; i < arena.size(); ++i) arena.values()[i] = static_cast<float>(i);
  const Parameters& p = arena.parameters();
  CHECK(p.table(0, 0) == 0);
  CHECK(p.table(1, 2) == 5);  // row-major: 1 * 3 + 2
  CHECK(p.inner.weight(2, 1) == 12 + 2 * 2 + 1);
  CHECK(p.inner.bias(4) == 12 + 10 + 4);
  CHECK(p.last(0) == 27);

  arena.parameters().inner.bias(0) = -1;
  CHECK(arena.values()[22] == -1);
  CHECK(arena.values(arena.tensors()[2])[0] == -1);
  CHECK(arena.values(arena.tensors()[2]).size() == 5);
}

TEST_CASE("A tied view shows the same memory and counts once", "[numerics]") {
  Arena<Parameters> arena(Index{5});
  arena.parameters().tied(3, 2) = 7;
  CHECK(arena.parameters().table(3, 2) == 7);
}

TEST_CASE("Two arenas of the same parameters share nothing, and none can be copied", "[numerics]") {
  Arena<Parameters> parameters(Index{5}), gradient(Index{5});
  gradient.values().setOnes();
  CHECK((parameters.values() == 0).all());
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Arena<Parameters>>);
  STATIC_REQUIRE_FALSE(std::is_copy_assignable_v<Arena<Parameters>>);
}
