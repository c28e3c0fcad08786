#include <cmath>
#include <limits>

#include "catch.hpp"
#include "gradients.hpp"
#include "layers/embedding.hpp"

using namespace glassformer;

namespace {

/// The table as a layer's parameters: V = 6 ids, D = 4.
struct Table {
  MatrixView<double> table;
  explicit Table(ArenaCursor<double>& cursor) : table(cursor.matrix("embed_tokens.weight", 6, 4)) {}
};

constexpr Id kPad = 2;
constexpr Index kSentences[] = {7, 3};
constexpr Pass kEvaluation{};
constexpr Pass kTraining{.training = true, .seed = 1, .update = 2, .sentences = kSentences};

/// Two sentences, the second padded; id 4 occurs three times.
const IdMatrix& ids() {
  static const IdMatrix matrix{{4, 0, 4}, {5, 4, kPad}};
  return matrix;
}

double expected_position(Index place, Index column, Index width) {
  const Index i = column % (width / 2);
  const double angle = static_cast<double>(place) /
                       std::pow(10000.0, 2 * static_cast<double>(i) / static_cast<double>(width));
  return column < width / 2 ? std::sin(angle) : std::cos(angle);
}

}  // namespace

TEST_CASE("Positions are sines in the first half of the columns and cosines in the second", "[layers]") {
  Buffer<double> positions;
  ensure_positions(50, 8, positions);
  REQUIRE(positions.rows() >= 50);
  REQUIRE(positions.cols() == 8);
  for (Index place = 0; place < 50; ++place) {
    for (Index column = 0; column < 8; ++column) {
      CHECK(std::abs(positions(place, column) - expected_position(place, column, 8)) < 1e-12);
    }
  }
  CHECK(positions(0, 0) == 0);
  CHECK(positions(0, 4) == 1);
  CHECK(positions(1, 0) == Approx(0.8414709848));   // sin 1
  CHECK(positions(10, 1) == Approx(0.8414709848));  // sin 10/10: 10000^(2/8) = 10
}

TEST_CASE("Positions are made longer when needed, made anew for another width, and else left alone", "[layers]") {
  Buffer<float> positions;
  ensure_positions(3, 8, positions);
  const float* const memory = positions.data();
  ensure_positions(2, 8, positions);
  CHECK(positions.data() == memory);
  for (const Index length : {4, 5, 30}) {
    ensure_positions(length, 8, positions);
    REQUIRE(positions.rows() >= length);
    for (Index place = 0; place < length; ++place) {
      CHECK(std::abs(positions(place, 3) - expected_position(place, 3, 8)) < 1e-6);
    }
  }
  ensure_positions(3, 6, positions);
  CHECK(positions.cols() == 6);
  CHECK(std::abs(positions(2, 1) - expected_position(2, 1, 6)) < 1e-6);
}

TEST_CASE("A token's vector is its row of the table, scaled by sqrt(D) or not, plus its position, which begins at 0",
          "[layers]") {
  RandomValues random(1);
  Learned<Table, double> learned(random);
  Embedding<double>::Cache cache;
  for (const bool scaled : {true, false}) {
    const double scale = scaled ? 2 : 1;
    Embedding<double>::forward(learned.p().table, ids(), kPad, scaled, 0.5, kEvaluation, 0, cache);
    REQUIRE(cache.output.rows() == 6);
    for (Index b = 0; b < 2; ++b) {
      for (Index t = 0; t < 3; ++t) {
        for (Index i = 0; i < 4; ++i) {
          const Id id = ids()(b, t);
          const double expected = id == kPad ? 0 : scale * learned.p().table(id, i) + expected_position(t, i, 4);
          CHECK(std::abs(cache.output(b * 3 + t, i) - expected) < 1e-14);
        }
      }
    }
  }
}

TEST_CASE("One token embedded alone has the bits it has in a batch", "[layers]") {
  RandomValues random(2);
  Learned<Table, double> learned(random);
  Embedding<double>::Cache cache;
  Embedding<double>::forward(learned.p().table, ids(), kPad, true, 0, kEvaluation, 0, cache);
  RowVector<double> x(4);
  Embedding<double>::embed(learned.p().table, 4, 2, cache.positions, 1, x);
  CHECK(same_bits(x, cache.output.row(3 + 1)));
}

TEST_CASE("Padding gives rows of zeros and no gradient, even where the table holds NaN for it", "[layers]") {
  RandomValues random(3);
  Learned<Table, double> learned(random);
  Embedding<double>::Cache cache, cache_of_nan;
  Embedding<double>::forward(learned.p().table, ids(), kPad, true, 0.3, kTraining, 0, cache);
  learned.p().table.row(kPad).setConstant(std::numeric_limits<double>::quiet_NaN());
  Embedding<double>::forward(learned.p().table, ids(), kPad, true, 0.3, kTraining, 0, cache_of_nan);
  CHECK(same_bits(cache.output, cache_of_nan.output));
  CHECK(cache.output.row(5).cwiseAbs().maxCoeff() == 0);

  Buffer<double> d_x = random.matrix(6, 4);
  d_x.row(5).setConstant(std::numeric_limits<double>::quiet_NaN());  // whatever comes back to the padded place
  Embedding<double>::backward(ids(), kPad, true, cache, d_x, learned.grad().table);
  CHECK(learned.grad().table.row(kPad).cwiseAbs().maxCoeff() == 0);
  CHECK(learned.grad().table.allFinite());
}

TEST_CASE("A token that occurs several times gets the sum of its gradients, one that does not occur gets none",
          "[layers]") {
  RandomValues random(4);
  Learned<Table, double> learned(random);
  Embedding<double>::Cache cache;
  Embedding<double>::forward(learned.p().table, ids(), kPad, true, 0, kEvaluation, 0, cache);
  Buffer<double> d_x = random.matrix(6, 4);
  const Matrix<double> d = d_x;
  Embedding<double>::backward(ids(), kPad, true, cache, d_x, learned.grad().table);
  CHECK(largest_difference(learned.grad().table.row(4), 2 * (d.row(0) + d.row(2) + d.row(4))) < 1e-15);
  CHECK(learned.grad().table.row(1).cwiseAbs().maxCoeff() == 0);
}

TEST_CASE("The gradient of the embedding table is what differences say, scaled and not, with dropout and without",
          "[layers]") {
  for (const double dropout : {0.0, 0.4}) {
    const bool scaled = dropout > 0;
    RandomValues random(5);
    Learned<Table, double> learned(random);
    const Buffer<double> d_y = random.matrix(6, 4);
    Embedding<double>::Cache cache;
    require_gradients<Table>(
        learned,
        [&] {
          Embedding<double>::forward(learned.p().table, ids(), kPad, scaled, dropout, kTraining, 0, cache);
          return weighted_sum(cache.output, d_y);
        },
        [&](Table& grad) {
          Buffer<double> d_x(6, 4);
          d_x.view() = d_y;
          Embedding<double>::backward(ids(), kPad, scaled, cache, d_x, grad.table);
        },
        {});
  }
}
