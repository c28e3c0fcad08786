#include <cmath>
#include <limits>

#include "catch.hpp"
#include "glassformer/layers/embedding.hpp"
#include "gradients.hpp"
#include "single_layer.hpp"

using namespace glassformer;

namespace {

/// An embedding with its own table: V = 6 ids.
struct EmbeddingWithTable : Embedding<double> {
  EmbeddingWithTable(const Part<double>& part, Index width, const EmbeddingSettings& settings)
      : Embedding(part, part.matrix("weight", 6, width, Role::source_embedding), settings) {}
};
using EmbeddingAlone = SingleLayer<EmbeddingWithTable>;

constexpr Id kEmbeddingPad = 2;
constexpr double kNaNInTable = std::numeric_limits<double>::quiet_NaN();

/// Two sentences, the second padded; id 4 occurs three times.
const IdMatrix kEmbeddedIds{{4, 0, 4}, {5, 4, kEmbeddingPad}};

double expected_position(Index t, Index column, Index width) {
  const Index i = column % (width / 2);
  const double angle =
      static_cast<double>(t) / std::pow(10000.0, 2 * static_cast<double>(i) / static_cast<double>(width));
  return column < width / 2 ? std::sin(angle) : std::cos(angle);
}

/// The positions, which forward returns if the table is all zeros.
Buffer<double> positions_of(EmbeddingAlone& embedding, Index length) {
  embedding.weights.values().eigen().setZero();
  const IdMatrix ids = buffer_of(Matrix<Id>::Constant(1, length, 4));
  return embedding->forward({}, ids);
}

}  // namespace

TEST_CASE("Positions are sines in the first half of the columns and cosines in the second", "[layers]") {
  RandomValues random(1);
  EmbeddingAlone embedding(random, 8, EmbeddingSettings{kEmbeddingPad});
  const Buffer<double> positions = positions_of(embedding, 700);
  for (Index t = 0; t < 700; ++t) {
    for (Index column = 0; column < 8; ++column) {
      CHECK(std::abs(positions(t, column) - expected_position(t, column, 8)) < 1e-12);
    }
  }
  CHECK(positions(0, 0) == 0);
  CHECK(positions(0, 4) == 1);
  CHECK(positions(1, 0) == Approx(0.8414709848));   // sin 1
  CHECK(positions(10, 1) == Approx(0.8414709848));  // sin 10/10: 10000^(2/8) = 10
}

TEST_CASE("Positions are the same whether sentences get longer or shorter", "[layers]") {
  RandomValues random(1);
  EmbeddingAlone embedding(random, 6, EmbeddingSettings{kEmbeddingPad});
  for (const Index length : {3, 2, 4, 5, 30, 3}) {
    const Buffer<double> positions = positions_of(embedding, length);
    REQUIRE(positions.rows() == length);
    for (Index t = 0; t < length; ++t) {
      CHECK(std::abs(positions(t, 1) - expected_position(t, 1, 6)) < 1e-12);
    }
  }
}

TEST_CASE("A token's vector is its row of the table, scaled by sqrt(D) or not, plus its position, counted from 0",
          "[layers]") {
  for (const bool scaled : {true, false}) {
    RandomValues random(1);
    EmbeddingAlone embedding(random, 4, EmbeddingSettings{kEmbeddingPad, scaled, 0.5});
    const double scale = scaled ? 2 : 1;
    const Buffer<double>& x = embedding->forward({}, kEmbeddedIds);
    REQUIRE(x.rows() == 6);
    for (Index b = 0; b < 2; ++b) {
      for (Index t = 0; t < 3; ++t) {
        for (Index i = 0; i < 4; ++i) {
          const Id id = kEmbeddedIds(b, t);
          const double expected =
              id == kEmbeddingPad ? 0 : scale * embedding->table.value()(id, i) + expected_position(t, i, 4);
          CHECK(std::abs(x(b * 3 + t, i) - expected) < 1e-14);
        }
      }
    }
  }
}

TEST_CASE("Without positions, a token has the same vector wherever it is, and the table's gradient is right",
          "[layers]") {
  RandomValues random(2);
  EmbeddingAlone embedding(random, 4, EmbeddingSettings{kEmbeddingPad, true, 0, false});
  const Buffer<double>& x = embedding->forward({}, kEmbeddedIds);
  for (Index n = 0; n < x.rows(); ++n) {
    const Id id = kEmbeddedIds(n / 3, n % 3);
    for (Index i = 0; i < 4; ++i) {
      CHECK(x(n, i) == (id == kEmbeddingPad ? 0 : 2 * embedding->table.value()(id, i)));
    }
  }
  const Buffer<double> d_y = random.matrix(6, 4);
  require_gradients(
      embedding, [&] { return weighted_sum(embedding->forward(kTrainingPass, kEmbeddedIds), d_y); },
      [&]() -> InputGradients {
        embedding->backward(kTrainingPass, d_y);
        return {};
      });
}

TEST_CASE("A token embedded alone has the same bits as in a batch", "[layers]") {
  RandomValues random(2);
  EmbeddingAlone embedding(random, 4, EmbeddingSettings{kEmbeddingPad});
  Buffer<double> alone(1, 4);
  embedding->embed(4, 1, alone.row(0));
  CHECK(same_bits(alone.row(0), embedding->forward({}, kEmbeddedIds).row(3 + 1)));
}

TEST_CASE("Padding gives rows of zeros and no gradient, even if the table holds NaN for it", "[layers]") {
  RandomValues random(3);
  EmbeddingAlone embedding(random, 4, EmbeddingSettings{kEmbeddingPad, true, 0.3});
  const Buffer<double> x = embedding->forward(kTrainingPass, kEmbeddedIds);
  embedding->table.in(embedding.weights).eigen().row(kEmbeddingPad).setConstant(kNaNInTable);
  CHECK(same_bits(embedding->forward(kTrainingPass, kEmbeddedIds), x));
  CHECK(x.eigen().row(5).isZero(0));

  Buffer<double> d_x = random.matrix(6, 4);
  d_x.eigen().row(5).setConstant(kNaNInTable);  // whatever gradient reaches the padding
  embedding->backward(kTrainingPass, d_x);
  const auto d_table = embedding->table.gradient().eigen();
  CHECK(d_table.row(kEmbeddingPad).isZero(0));
  CHECK(d_table.allFinite());
}

TEST_CASE("A token that occurs several times gets the sum of its gradients, and one that does not occur gets none",
          "[layers]") {
  RandomValues random(4);
  EmbeddingAlone embedding(random, 4, EmbeddingSettings{kEmbeddingPad});
  embedding->forward({}, kEmbeddedIds);
  const Buffer<double> d_x = random.matrix(6, 4);
  embedding->backward({}, d_x);
  const auto d = d_x.eigen();
  const auto d_table = embedding->table.gradient().eigen();
  CHECK(largest_difference(d_table.row(4), 2 * (d.row(0) + d.row(2) + d.row(4))) < 1e-15);
  CHECK(d_table.row(1).isZero(0));
}

TEST_CASE("Two embeddings can share a table, and both add to its gradient", "[layers]") {
  RandomValues random(5);
  EmbeddingAlone first(random, 4, EmbeddingSettings{kEmbeddingPad});
  const BoundMemory<double> unused;
  Construction<double> construction{ParameterCursor<double>(unused)};
  Embedding<double> second(Part<double>(construction, "second", ""), first->table, {kEmbeddingPad});
  CHECK(construction.cursor.tensors().empty());
  CHECK(same_bits(Buffer<double>(first->forward({}, kEmbeddedIds)), second.forward({}, kEmbeddedIds)));
  const Buffer<double> d_x = random.matrix(6, 4);
  first->backward({}, d_x);
  const RowVector<double> once = first.gradient.values().eigen();
  second.backward({}, d_x);
  CHECK(largest_difference(first.gradient.values(), 2 * once) < 1e-15);
}

TEST_CASE("The gradient of the embedding table is right, both scaled with dropout and unscaled without", "[layers]") {
  for (const double dropout : {0.0, 0.4}) {
    RandomValues random(5);
    EmbeddingAlone embedding(random, 4, EmbeddingSettings{kEmbeddingPad, dropout > 0, dropout});
    const Buffer<double> d_y = random.matrix(6, 4);
    require_gradients(
        embedding, [&] { return weighted_sum(embedding->forward(kTrainingPass, kEmbeddedIds), d_y); },
        [&]() -> InputGradients {
          embedding->backward(kTrainingPass, d_y);
          return {};
        });
  }
}
