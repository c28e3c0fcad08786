#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "gradients.hpp"
#include "layers/softmax.hpp"

using namespace glassformer;
using Blocked = Matrix<std::uint8_t>;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Scalar>
Buffer<Scalar> softmax(const auto& scores, const Blocked& blocked) {
  Buffer<Scalar> weights(scores.rows(), scores.cols());
  weights = scores.template cast<Scalar>();
  for (Index i = 0; i < scores.rows(); ++i) {
    MaskedSoftmax<Scalar>::forward_row(blocked.row(i).data(), scores.cols(), weights.row(i).data());
  }
  return weights;
}

/// Row 0 sees all, row 3 nothing, the others some.
Blocked some_blocked(RandomValues& random, Index rows, Index cols) {
  Blocked blocked(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) blocked(i, j) = i == 3 || (i > 0 && random.index(2) == 0);
  }
  return blocked;
}

}  // namespace

TEST_CASE("Softmax weights are exp(score) over the sum of the visible, and exactly 0 where blocked", "[layers]") {
  RandomValues random(1);
  for (const Index size : {1, 2, 3, 8, 13, 40}) {
    const Matrix<double> scores = 5 * random.matrix(8, size);
    const Blocked blocked = some_blocked(random, 8, size);
    const Buffer<double> weights = softmax<double>(scores, blocked);
    for (Index i = 0; i < 8; ++i) {
      double sum = 0;
      for (Index j = 0; j < size; ++j) sum += blocked(i, j) ? 0 : std::exp(scores(i, j));
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
    const Matrix<double> scores = random.matrix(2, size);
    Blocked blocked = Blocked::Zero(2, size);
    blocked.row(1).setOnes();
    const Buffer<TestType> weights = softmax<TestType>(scores, blocked);
    CHECK(weights.row(0).sum() == Approx(1));
    CHECK(weights.row(1).cwiseAbs().maxCoeff() == 0);

    Buffer<TestType> d = random.matrix<TestType>(2, size);
    d.row(1).setConstant(static_cast<TestType>(kNaN));
    MaskedSoftmax<TestType>::backward(weights, d);
    CHECK(d.row(0).allFinite());
    CHECK(d.row(1).cwiseAbs().maxCoeff() == 0);
  }
}

TEMPLATE_TEST_CASE("Blocked scores may be anything, NaN and infinity included, without changing a bit of the weights",
                   "[layers]", float, double) {
  RandomValues random(3);
  for (const Index size : {1, 2, 5, 8, 16, 33}) {
    Matrix<double> scores = 5 * random.matrix(8, size);
    const Blocked blocked = some_blocked(random, 8, size);
    const Buffer<TestType> expected = softmax<TestType>(scores, blocked);
    Buffer<TestType> d_expected = random.matrix<TestType>(8, size), d(8, size);
    d.view() = d_expected;
    MaskedSoftmax<TestType>::backward(expected, d_expected);

    for (const double anything : {kNaN, kInfinity, -kInfinity, 1e300, -1e300}) {
      Buffer<TestType> d_weights(8, size);
      d_weights.view() = d;
      for (Index i = 0; i < 8; ++i) {
        for (Index j = 0; j < size; ++j) {
          if (!blocked(i, j)) continue;
          scores(i, j) = anything;
          d_weights(i, j) = static_cast<TestType>(anything);
        }
      }
      const Buffer<TestType> weights = softmax<TestType>(scores, blocked);
      CHECK(same_bits(weights, expected));
      MaskedSoftmax<TestType>::backward(weights, d_weights);
      CHECK(largest_difference(d_weights, d_expected) == 0);  // 0 or -0 where blocked
    }
  }
}

TEMPLATE_TEST_CASE("A visible score that is NaN is not hidden", "[layers]", float, double) {
  RandomValues random(4);
  for (const Index size : {1, 2, 3, 8, 9, 17, 33}) {
    for (Index at = 0; at < size; ++at) {
      CAPTURE(size, at);
      Matrix<double> scores = random.matrix(2, size);
      scores.col(at).setConstant(kNaN);
      Blocked blocked = Blocked::Zero(2, size);
      blocked.row(1).setOnes();  // in the second row it is all that is visible
      blocked(1, at) = 0;
      const Buffer<TestType> weights = softmax<TestType>(scores, blocked);
      CHECK(std::isnan(weights(0, at)));
      CHECK(std::isnan(weights(1, at)));
    }
  }
}

TEMPLATE_TEST_CASE("Large scores overflow neither up nor down", "[layers]", float, double) {
  const Matrix<double> scores{{1e30, 1e30, -1e30}, {1000, 999, -1000}, {-1e30, -1e30, -1e30}, {-1000, -999, -1e30}};
  const Buffer<TestType> weights = softmax<TestType>(scores, Blocked::Zero(4, 3));
  const double e = std::exp(1.0);
  const Matrix<double> expected{
      {0.5, 0.5, 0}, {e / (1 + e), 1 / (1 + e), 0}, {1 / 3.0, 1 / 3.0, 1 / 3.0}, {1 / (1 + e), e / (1 + e), 0}};
  CHECK(largest_difference(weights, expected) < 1e-6);
}

TEST_CASE("A row of visible scores far below the blocked ones keeps its weights", "[layers]") {
  // The lesson of -1e9 and of renormalising: what is blocked must not set the scale.
  const Matrix<double> scores{{0.5, 1.0, 200.0, 1e9}};
  const Buffer<float> weights = softmax<float>(scores, Blocked{{0, 0, 1, 1}});
  CHECK(weights(0, 0) == Approx(1 / (1 + std::exp(0.5))).epsilon(1e-6));
  CHECK(weights(0, 1) == Approx(1 / (1 + std::exp(-0.5))).epsilon(1e-6));
}

TEST_CASE("The gradient of the masked softmax is what differences say", "[layers]") {
  RandomValues random(5);
  Buffer<double> scores = random.matrix(8, 7), d_scores(8, 7);
  const Buffer<double> d_weights = random.matrix(8, 7);
  const Blocked blocked = some_blocked(random, 8, 7);
  require_gradients([&] { return weighted_sum(softmax<double>(scores, blocked), d_weights); },
                    [&] {
                      d_scores.view() = d_weights;
                      MaskedSoftmax<double>::backward(softmax<double>(scores, blocked), d_scores);
                    },
                    {{"scores", scores, d_scores}});
}
