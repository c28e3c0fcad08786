#include <algorithm>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "glassformer/layers/dropout.hpp"
#include "glassformer/numerics/random.hpp"
#include "single_layer.hpp"

using namespace glassformer;

namespace {

Pass dropout_pass(const std::vector<Index>& sentences) {
  return {.training = true, .seed = 1, .update = 2, .sentences = sentences};
}

/// The factors by which dropout multiplies a matrix. All sentences have the same number of rows, in `groups` equal
/// parts.
Matrix<double> dropout_factors(double rate, const Pass& pass, Index groups, Index rows, Index cols, Site site = 3) {
  const BoundMemory<double> unused;
  Construction<double> construction{ParameterCursor<double>(unused)};
  const Part<double> part(construction, "", "");
  part.start_sites(site);
  Dropout<double> dropout(part, rate, groups);
  Buffer<double> ones(rows, cols);
  ones.fill(1);
  dropout.forward_in_place(pass, ones);
  return ones.eigen();
}

}  // namespace

TEST_CASE("Dropout multiplies by 0 or by 1/(1 - rate), forward and backward, in place or not", "[layers]") {
  const std::vector<Index> sentences{4, 9};
  const Pass pass = dropout_pass(sentences);
  RandomValues random(1);
  SingleLayer<Dropout<double>> dropout(random, 0.25);
  const Buffer<double> x = random.matrix(6, 5);
  const Buffer<double> d_y = random.matrix(6, 5);
  const Buffer<double>& y = dropout->forward(pass, x);
  const Buffer<double>& d_x = dropout->backward(pass, d_y);
  Index dropped = 0;
  for (Index n = 0; n < 6; ++n) {
    for (Index i = 0; i < 5; ++i) {
      if (y(n, i) == 0) {
        ++dropped;
        CHECK(d_x(n, i) == 0);
      } else {
        CHECK(y(n, i) == Approx(x(n, i) / 0.75).epsilon(1e-15));
        CHECK(d_x(n, i) == Approx(d_y(n, i) / 0.75).epsilon(1e-15));
      }
    }
  }
  CHECK(dropped > 0);
  CHECK(dropped < 30);

  Buffer<double> in_place = x;
  Buffer<double> d_in_place = d_y;
  dropout->forward_in_place(pass, in_place);
  dropout->backward_in_place(pass, d_in_place);
  CHECK(same_bits(in_place, y));
  CHECK(same_bits(d_in_place, d_x));
}

TEST_CASE("Dropout is off outside training and at rate 0, forward and backward", "[layers]") {
  const std::vector<Index> sentences{4, 9};
  RandomValues random(1);
  const Buffer<double> x = random.matrix(6, 5);
  for (const auto& [rate, pass] : {std::pair{0.5, Pass{}}, std::pair{0.0, dropout_pass(sentences)}}) {
    SingleLayer<Dropout<double>> dropout(random, rate);
    dropout->forward(dropout_pass(sentences), x);  // an earlier pass may have dropped numbers
    CHECK_FALSE(dropout->is_active(pass));
    CHECK(&dropout->forward(pass, x) == &x);
    CHECK(&dropout->backward(pass, x) == &x);
    Buffer<double> in_place = x;
    dropout->forward_in_place(pass, in_place);
    CHECK(same_bits(in_place, x));
    dropout->backward_in_place(pass, in_place);
    CHECK(same_bits(in_place, x));
  }
}

TEST_CASE("Dropout treats a sentence the same in every batch, at any place in it and with any padding", "[layers]") {
  // Sentence 9 (three tokens of five numbers) alone, and then as the second of three sentences padded to seven tokens.
  const std::vector<Index> alone{9};
  const std::vector<Index> batch{4, 9, 2};
  const Matrix<double> expected = dropout_factors(0.5, dropout_pass(alone), 1, 3, 5);
  const Matrix<double> padded = dropout_factors(0.5, dropout_pass(batch), 1, 3 * 7, 5);
  CHECK(same_bits(padded.middleRows(7, 3), expected));

  // Attention weights: two heads, T queries and S keys each, both padded.
  const Index T = 3;
  const Index S = 4;
  const Index padded_T = 5;
  const Index padded_S = 9;
  const Matrix<double> weights = dropout_factors(0.5, dropout_pass(alone), 2, 2 * T, S);
  const Matrix<double> padded_weights = dropout_factors(0.5, dropout_pass(batch), 2, 3 * 2 * padded_T, padded_S);
  for (Index head = 0; head < 2; ++head) {
    CHECK(same_bits(padded_weights.block((1 * 2 + head) * padded_T, 0, T, S), weights.middleRows(head * T, T)));
  }
}

TEST_CASE("Dropout draws different numbers for another sentence, row, group, site, update or seed", "[layers]") {
  const std::vector<Index> sentences{9};
  const std::vector<Index> other_sentence{10};
  const Pass pass = dropout_pass(sentences);
  Pass other_update = pass;
  Pass other_seed = pass;
  ++other_update.update;
  ++other_seed.seed;
  const Matrix<double> here = dropout_factors(0.5, pass, 2, 4, 40);
  CHECK(here != dropout_factors(0.5, dropout_pass(other_sentence), 2, 4, 40));
  CHECK(here != dropout_factors(0.5, other_update, 2, 4, 40));
  CHECK(here != dropout_factors(0.5, other_seed, 2, 4, 40));
  CHECK(here != dropout_factors(0.5, pass, 2, 4, 40, 4));
  for (Index row = 1; row < 4; ++row) {
    CHECK(here.row(0) != here.row(row));  // rows 2 and 3: the second group
  }
}

TEST_CASE("Dropout draws the random numbers at (seed, update, site, sentence, group, position), for any length",
          "[layers]") {
  const std::vector<Index> sentences{4, 9};
  const Index groups = 3;
  const Index cols = 40;
  for (const Index length : {1, 2, 8, 13, 300}) {
    const Matrix<double> drawn = dropout_factors(0.5, dropout_pass(sentences), groups, 2 * groups * length, cols);
    for (Index part = 0; part < 2 * groups; ++part) {
      for (Index position = 0; position < length; position += kRowsAtOnce) {
        CAPTURE(length, part, position);
        Buffer<std::uint8_t> kept(std::min(kRowsAtOnce, length - position), cols);
        draw_kept({.seed = 1,
                   .update = 2,
                   .site = 3,
                   .sentence = static_cast<std::uint32_t>(part < groups ? 4 : 9),
                   .row = static_cast<std::uint32_t>((part % groups << 20) + position)},
                  0.5, kept);
        const Matrix<double> here = drawn.middleRows(part * length + position, kept.rows());
        CHECK(same_bits(here, kept.eigen().cast<double>() * 2));
      }
    }
  }
}

TEST_CASE("Each dropout has its own site, numbered in the order of construction", "[layers]") {
  const std::vector<Index> sentences{9};
  const BoundMemory<double> unused;
  Construction<double> construction{ParameterCursor<double>(unused)};
  const Part<double> part(construction, "", "");
  Dropout<double> first(part, 0.5);
  Dropout<double> second(part.at("inner"), 0.5);
  part.start_sites(3);
  Dropout<double> third(part, 0.5);
  for (const auto& [dropout, site] : {std::pair{&first, Site{0}}, {&second, Site{1}}, {&third, Site{3}}}) {
    Buffer<double> ones(2, 20);
    ones.fill(1);
    dropout->forward_in_place(dropout_pass(sentences), ones);
    CHECK(same_bits(ones, dropout_factors(0.5, dropout_pass(sentences), 1, 2, 20, site)));
  }
}
