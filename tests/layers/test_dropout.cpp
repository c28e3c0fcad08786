#include <span>
#include <vector>

#include "catch.hpp"
#include "layers/dropout.hpp"
#include "numerics/random.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

Pass training(std::span<const Index> sentences) {
  return {.training = true, .seed = 1, .update = 2, .sentences = sentences};
}

/// What dropout multiplies a matrix by. The rows are those of the sentences, each with `groups` equal parts.
Matrix<double> factors(double rate, const Pass& pass, Index groups, Index rows, Index cols, Site site = 3) {
  Buffer<double> ones(rows, cols);
  ones.setOnes();
  Dropout<double>::Cache cache;
  Dropout<double>::forward(rate, pass, site, groups, ones, cache);
  return ones;
}

}  // namespace

TEST_CASE("Dropout multiplies by 0 or by 1/(1 - rate)", "[layers]") {
  const std::vector<Index> sentences{4, 9};
  RandomValues random(1);
  Buffer<double> x = random.matrix(6, 5);
  const Matrix<double> before = x;
  Dropout<double>::Cache cache;
  Dropout<double>::forward(0.25, training(sentences), 3, 1, x, cache);
  Index dropped = 0;
  for (Index n = 0; n < 6; ++n) {
    for (Index i = 0; i < 5; ++i) {
      if (x(n, i) == 0) {
        ++dropped;
      } else {
        CHECK(x(n, i) == Approx(before(n, i) / 0.75).epsilon(1e-15));
      }
    }
  }
  CHECK(dropped > 0);
  CHECK(dropped < 30);
}

TEST_CASE("Dropout is off outside of training and at rate 0, forward and backward", "[layers]") {
  const std::vector<Index> sentences{4, 9};
  RandomValues random(1);
  const Matrix<double> x = random.matrix(6, 5);
  for (const auto& [rate, pass] : {std::pair{0.5, Pass{}}, std::pair{0.0, training(sentences)}}) {
    Buffer<double> y(6, 5), d_y(6, 5);
    y = x;
    d_y = x;
    Dropout<double>::Cache cache;
    // A pass that did drop has used the cache before.
    Buffer<double> other = random.matrix(6, 5);
    Dropout<double>::forward(0.5, training(sentences), 3, 1, other, cache);
    Dropout<double>::forward(rate, pass, 3, 1, y, cache);
    Dropout<double>::backward(cache, d_y);
    CHECK(same_bits(y, x));
    CHECK(same_bits(d_y, x));
  }
}

TEST_CASE("Dropout treats a sentence alike in every batch, at every place in it and however far it is padded",
          "[layers]") {
  // Sentence 9, three tokens of five numbers, alone; then second of three sentences that are padded to seven.
  const std::vector<Index> alone{9}, batch{4, 9, 2};
  const Matrix<double> expected = factors(0.5, training(alone), 1, 3, 5);
  const Matrix<double> padded = factors(0.5, training(batch), 1, 3 * 7, 5);
  CHECK(same_bits(padded.middleRows(7, 3), expected));

  // Attention weights: two heads, T queries and S keys each, both padded.
  const Index T = 3, S = 4, padded_T = 5, padded_S = 9;
  const Matrix<double> weights = factors(0.5, training(alone), 2, 2 * T, S);
  const Matrix<double> padded_weights = factors(0.5, training(batch), 2, 3 * 2 * padded_T, padded_S);
  for (Index head = 0; head < 2; ++head) {
    CHECK(same_bits(padded_weights.block((1 * 2 + head) * padded_T, 0, T, S), weights.middleRows(head * T, T)));
  }
}

TEST_CASE("Dropout draws anew for another sentence, row, group, site, update and seed", "[layers]") {
  const std::vector<Index> sentences{9}, other_sentence{10};
  const Pass pass = training(sentences);
  Pass other_update = pass, other_seed = pass;
  ++other_update.update;
  ++other_seed.seed;
  const Matrix<double> here = factors(0.5, pass, 2, 4, 40);
  CHECK(here != factors(0.5, training(other_sentence), 2, 4, 40));
  CHECK(here != factors(0.5, other_update, 2, 4, 40));
  CHECK(here != factors(0.5, other_seed, 2, 4, 40));
  CHECK(here != factors(0.5, pass, 2, 4, 40, 4));
  for (Index row = 1; row < 4; ++row) CHECK(here.row(0) != here.row(row));  // rows 2 and 3: the second group
}

TEST_CASE("Dropout draws the numbers of (seed, update, site, sentence, group and place)", "[layers]") {
  const std::vector<Index> sentences{4, 9};
  const Matrix<double> drawn = factors(0.5, training(sentences), 3, 2 * 3 * 2, 5);
  Matrix<std::uint8_t> kept(2, 5);
  // The last group of sentence 9, of which the last row is the second place.
  draw_kept({.seed = 1, .update = 2, .site = 3, .sentence = 9, .row = 2 << 20}, 0.5, kept);
  CHECK(same_bits(drawn.row(11), kept.row(1).cast<double>() * 2));
}
