#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "glassformer/layers/softmax.hpp"
#include "gradients.hpp"

using namespace glassformer;

namespace {

constexpr double kNaNScore = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfiniteScore = std::numeric_limits<double>::infinity();

using BlockedKeys = Buffer<std::uint8_t>;

/// Each row of scores has its own row of the mask.
template <class Scalar>
Buffer<Scalar> softmax_of(const Buffer<double>& scores, const BlockedKeys& blocked) {
  Buffer<Scalar> weights = buffer_of(scores.eigen().cast<Scalar>());
  MaskedSoftmax<Scalar>("softmax").forward_in_place({}, weights, Mask{1, blocked.rows(), blocked});
  return weights;
}

/// Turns d_weights into d_scores.
template <class Scalar>
void softmax_backward(const Buffer<Scalar>& weights, Buffer<Scalar>& d_weights) {
  MaskedSoftmax<Scalar>("softmax").backward_in_place({}, weights, d_weights);
}

/// Row 0 sees all keys, row 3 none, and the others some.
BlockedKeys some_blocked(RandomValues& random, Index rows, Index cols) {
  BlockedKeys blocked(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      blocked(i, j) = i == 3 || (i > 0 && random.index(2) == 0);
    }
  }
  return blocked;
}

}  // namespace

TEST_CASE("Softmax weights are exp(score) over the sum of the visible ones, and exactly 0 where blocked", "[layers]") {
  RandomValues random(1);
  for (const Index size : {1, 2, 3, 8, 13, 40}) {
    const Buffer<double> scores = buffer_of(5 * random.matrix(8, size).eigen());
    const BlockedKeys blocked = some_blocked(random, 8, size);
    const Buffer<double> weights = softmax_of<double>(scores, blocked);
    for (Index i = 0; i < 8; ++i) {
      double sum = 0;
      for (Index j = 0; j < size; ++j) {
        sum += blocked(i, j) ? 0 : std::exp(scores(i, j));
      }
      for (Index j = 0; j < size; ++j) {
        if (blocked(i, j)) {
          CHECK(weights(i, j) == 0);
        } else {
          CHECK(weights(i, j) == Approx(std::exp(scores(i, j)) / sum).epsilon(1e-13));
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("A row in which nothing is visible gives zeros, forward and backward", "[layers]", float, double) {
  RandomValues random(2);
  for (const Index size : {1, 4, 19}) {
    const Buffer<double> scores = random.matrix(2, size);
    BlockedKeys blocked = all_visible(1, 2, size).blocked;
    blocked.eigen().row(1).setOnes();
    const Buffer<TestType> weights = softmax_of<TestType>(scores, blocked);
    CHECK(weights.eigen().row(0).sum() == Approx(1));
    CHECK(weights.eigen().row(1).isZero(0));

    Buffer<TestType> d = random.matrix<TestType>(2, size);
    d.eigen().row(1).setConstant(static_cast<TestType>(kNaNScore));
    softmax_backward(weights, d);
    CHECK(d.eigen().row(0).allFinite());
    CHECK(d.eigen().row(1).isZero(0));
  }
}

TEMPLATE_TEST_CASE("Blocked scores may be anything, NaN and infinity included, without changing a bit of the weights",
                   "[layers]", float, double) {
  RandomValues random(3);
  for (const Index size : {1, 2, 5, 8, 16, 33}) {
    Buffer<double> scores = buffer_of(5 * random.matrix(8, size).eigen());
    const BlockedKeys blocked = some_blocked(random, 8, size);
    const Buffer<TestType> expected = softmax_of<TestType>(scores, blocked);
    const Buffer<TestType> d = random.matrix<TestType>(8, size);
    Buffer<TestType> d_expected = d;
    softmax_backward(expected, d_expected);

    for (const double anything : {kNaNScore, kInfiniteScore, -kInfiniteScore, 1e300, -1e300}) {
      Buffer<TestType> d_weights = d;
      for (Index i = 0; i < 8; ++i) {
        for (Index j = 0; j < size; ++j) {
          if (!blocked(i, j)) {
            continue;
          }
          scores(i, j) = anything;
          d_weights(i, j) = static_cast<TestType>(anything);
        }
      }
      const Buffer<TestType> weights = softmax_of<TestType>(scores, blocked);
      CHECK(same_bits(weights, expected));
      softmax_backward(weights, d_weights);
      CHECK(largest_difference(d_weights, d_expected) == 0);  // 0 or -0 where blocked
    }
  }
}

TEMPLATE_TEST_CASE("The weight of a visible NaN score is NaN", "[layers]", float, double) {
  RandomValues random(4);
  for (const Index size : {1, 2, 3, 8, 9, 17, 33}) {
    for (Index at = 0; at < size; ++at) {
      CAPTURE(size, at);
      Buffer<double> scores = random.matrix(2, size);
      scores.eigen().col(at).setConstant(kNaNScore);
      BlockedKeys blocked = all_visible(1, 2, size).blocked;
      blocked.eigen().row(1).setOnes();  // in the second row, only this key is visible
      blocked(1, at) = 0;
      const Buffer<TestType> weights = softmax_of<TestType>(scores, blocked);
      CHECK(std::isnan(weights(0, at)));
      CHECK(std::isnan(weights(1, at)));
    }
  }
}

TEMPLATE_TEST_CASE("Scores of large magnitude do not overflow", "[layers]", float, double) {
  const Buffer<double> scores{{1e30, 1e30, -1e30}, {1000, 999, -1000}, {-1e30, -1e30, -1e30}, {-1000, -999, -1e30}};
  const Buffer<TestType> weights = softmax_of<TestType>(scores, all_visible(1, 4, 3).blocked);
  const double e = std::exp(1.0);
  const Matrix<double> expected{
      {0.5, 0.5, 0}, {e / (1 + e), 1 / (1 + e), 0}, {1 / 3.0, 1 / 3.0, 1 / 3.0}, {1 / (1 + e), e / (1 + e), 0}};
  CHECK(largest_difference(weights, expected) < 1e-6);
}

TEST_CASE("A row of visible scores far below the blocked ones keeps its weights", "[layers]") {
  // Adding -1e9, or renormalising afterwards, fails here: blocked scores must not set the scale.
  const Buffer<double> scores{{0.5, 1.0, 200.0, 1e9}};
  const Buffer<float> weights = softmax_of<float>(scores, BlockedKeys{{0, 0, 1, 1}});
  CHECK(weights(0, 0) == Approx(1 / (1 + std::exp(0.5))).epsilon(1e-6));
  CHECK(weights(0, 1) == Approx(1 / (1 + std::exp(-0.5))).epsilon(1e-6));
}

TEST_CASE("The gradient of the masked softmax is right", "[layers]") {
  RandomValues random(5);
  Buffer<double> scores = random.matrix(8, 7);
  Buffer<double> d_scores;
  const Buffer<double> d_weights = random.matrix(8, 7);
  const BlockedKeys blocked = some_blocked(random, 8, 7);
  require_gradients([&] { return weighted_sum(softmax_of<double>(scores, blocked), d_weights); },
                    [&]() -> InputGradients {
                      d_scores = d_weights;
                      softmax_backward(softmax_of<double>(scores, blocked), d_scores);
                      return {{"scores", scores, d_scores}};
                    });
}

TEST_CASE("Masks of any shape apply to the right scores of all sentences, heads and queries", "[layers]") {
  const Index B = 3;
  const Index H = 2;
  const Index T = 4;
  const Index S = 5;
  RandomValues random(6);
  const Buffer<double> scores = random.matrix(B * H * T, S);
  for (const auto& [sentences, queries] : {std::pair<Index, Index>{1, 1}, {B, 1}, {1, T}, {B, T}}) {
    Mask mask{sentences, queries, BlockedKeys(sentences * queries, S)};
    for (Index i = 0; i < mask.blocked.size(); ++i) {
      mask.blocked(i / S, i % S) = random.index(2) == 0;
    }
    Buffer<double> weights = scores;
    MaskedSoftmax<double>("softmax").forward_in_place({}, weights, mask);
    BlockedKeys each_row(B * H * T, S);
    for (Index n = 0; n < B * H * T; ++n) {
      for (Index j = 0; j < S; ++j) {
        each_row(n, j) = mask.is_blocked(n / (H * T), n % T, j);
      }
    }
    CAPTURE(sentences, queries);
    CHECK(same_bits(weights, softmax_of<double>(scores, each_row)));
  }
}
