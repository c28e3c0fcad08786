#include <cmath>
#include <limits>

#include "catch.hpp"
#include "gradients.hpp"
#include "layers/cross_entropy.hpp"

using namespace glassformer;

namespace {

/// Three rows of which the last is padding (pad 0).
const Matrix<double> kLogits{{2, 0.5, -1, 0, 1}, {0, 0, 3, -2, 0.5}, {1, 1, 1, 1, 1}};
const IdMatrix kExpected{{4, 2, 0}};

/// What backward makes of the logits.
template <class Scalar>
Matrix<Scalar> d_logits_of(Matrix<Scalar> logits, const IdMatrix& expected, Id pad, double smoothing, Scalar d_loss,
                           const typename CrossEntropy<Scalar>::Cache& cache) {
  CrossEntropy<Scalar>::backward(expected, pad, smoothing, d_loss, cache, logits);
  return logits;
}

}  // namespace

TEST_CASE("Cross-entropy and its gradient are those that PyTorch gives for the worked example", "[layers]") {
  CrossEntropy<double>::Cache cache;
  const LossSum sum = CrossEntropy<double>::forward(kLogits, kExpected, 0, 0, cache);
  CHECK(sum.tokens == 2);
  CHECK(sum.correct == 1);
  CHECK(sum.loss == Approx(1.74704334913).epsilon(1e-10));
  CHECK(sum.loss / static_cast<double>(sum.tokens) == Approx(0.873521674565).epsilon(1e-10));

  const Matrix<double> d_logits{{0.281510615907, 0.0628135088108, 0.0140155882804, 0.0380983189379, -0.396438031936},
                                {0.0209471518851, 0.0209471518851, -0.079265207377, 0.00283488873337, 0.0345360148735},
                                {0, 0, 0, 0, 0}};
  CHECK(largest_difference(d_logits_of(kLogits, kExpected, 0, 0, 0.5, cache), d_logits) < 1e-10);
}

TEST_CASE("Of equally likely tokens the first counts as the prediction, as with argmax", "[layers]") {
  CrossEntropy<double>::Cache cache;
  const Matrix<double> logits{{0, 2, 2, -1}};
  CHECK(CrossEntropy<double>::forward(logits, IdMatrix{{1}}, 0, 0, cache).correct == 1);
  CHECK(CrossEntropy<double>::forward(logits, IdMatrix{{2}}, 0, 0, cache).correct == 0);
}

TEST_CASE("Label smoothing is that of torch.nn.CrossEntropyLoss: spread over all classes", "[layers]") {
  CrossEntropy<double>::Cache cache;
  const LossSum sum = CrossEntropy<double>::forward(kLogits, kExpected, 0, 0.1, cache);
  CHECK(sum.loss / 2 == Approx(1.03352167457).epsilon(1e-10));
  CHECK(sum.cross_entropy / 2 == Approx(0.873521674565).epsilon(1e-10));  // reported without smoothing

  const Matrix<double> d_logits{
      {0.271510615907, 0.0528135088108, 0.00401558828045, 0.0280983189379, -0.356438031936},
      {0.0109471518851, 0.0109471518851, -0.039265207377, -0.00716511126663, 0.0245360148735},
      {0, 0, 0, 0, 0}};
  CHECK(largest_difference(d_logits_of(kLogits, kExpected, 0, 0.1, 0.5, cache), d_logits) < 1e-10);
}

TEMPLATE_TEST_CASE("Rows where padding is expected count nothing, whatever their logits are", "[layers]", float,
                   double) {
  constexpr Id kPad = 3;
  const IdMatrix expected{{4, kPad}, {kPad, 0}};
  RandomValues random(1);
  Buffer<TestType> logits = random.matrix<TestType>(4, 5);
  typename CrossEntropy<TestType>::Cache cache, cache_of_nan;
  const LossSum sum = CrossEntropy<TestType>::forward(logits, expected, kPad, 0.1, cache);
  const Matrix<TestType> d_logits = d_logits_of<TestType>(logits, expected, kPad, 0.1, 1, cache);

  logits.middleRows(1, 2).setConstant(std::numeric_limits<TestType>::quiet_NaN());
  const LossSum sum_of_nan = CrossEntropy<TestType>::forward(logits, expected, kPad, 0.1, cache_of_nan);
  CHECK(sum.tokens == 2);
  CHECK(sum_of_nan.tokens == 2);
  CHECK(sum_of_nan.loss == sum.loss);
  CHECK(sum_of_nan.correct == sum.correct);
  CHECK(same_bits(d_logits_of<TestType>(logits, expected, kPad, 0.1, 1, cache_of_nan), d_logits));
  CHECK(d_logits.middleRows(1, 2).cwiseAbs().maxCoeff() == 0);
}

TEST_CASE("A batch of padding alone has no tokens, no loss and no gradient", "[layers]") {
  CrossEntropy<double>::Cache cache;
  const IdMatrix expected{{0, 0, 0}};
  const LossSum sum = CrossEntropy<double>::forward(kLogits, expected, 0, 0.1, cache);
  CHECK(sum.tokens == 0);
  CHECK(sum.loss == 0);
  CHECK(d_logits_of(kLogits, expected, 0, 0.1, 1.0, cache).cwiseAbs().maxCoeff() == 0);
}

TEST_CASE("The gradient of cross-entropy is what differences say, and sums to zero over each row", "[layers]") {
  const IdMatrix expected{{4, 1, 6}, {0, 6, 2}};
  for (const double smoothing : {0.0, 0.1, 0.7}) {
    RandomValues random(2);
    Buffer<double> logits = random.matrix(6, 7), d_logits;
    logits *= 3;
    CrossEntropy<double>::Cache cache;
    constexpr double kDLoss = 0.37;
    require_gradients(
        [&] { return kDLoss * CrossEntropy<double>::forward(logits, expected, 6, smoothing, cache).loss; },
        [&] {
          d_logits.resize_like(logits);
          d_logits.view() = d_logits_of<double>(logits, expected, 6, smoothing, kDLoss, cache);
        },
        {{"logits", logits, d_logits}});
    CHECK(d_logits.rowwise().sum().cwiseAbs().maxCoeff() < 1e-15);
  }
}

TEMPLATE_TEST_CASE("Forward and backward at once give the same loss and gradient, bit by bit, as one after the other",
                   "[layers]", float, double) {
  constexpr Id kPad = 1;
  const IdMatrix expected{{4, kPad, 6, 39}};
  for (const double smoothing : {0.0, 0.1}) {
    RandomValues random(3);
    Buffer<TestType> logits = random.matrix<TestType>(4, 40);  // not a whole number of stretches
    typename CrossEntropy<TestType>::Cache cache;
    const LossSum sum = CrossEntropy<TestType>::forward(logits, expected, kPad, smoothing, cache);
    const Matrix<TestType> d_logits =
        d_logits_of<TestType>(logits, expected, kPad, smoothing, TestType(0.37), cache);

    const LossSum at_once =
        CrossEntropy<TestType>::forward_and_backward(expected, kPad, smoothing, TestType(0.37), logits);
    CHECK(same_bits(logits, d_logits));
    CHECK(at_once.loss == sum.loss);
    CHECK(at_once.cross_entropy == sum.cross_entropy);
    CHECK(at_once.tokens == 3);
    CHECK(at_once.correct == sum.correct);
  }
}

TEST_CASE("Large logits overflow neither the loss nor the gradient", "[layers]") {
  Buffer<float> logits(2, 3);
  logits << 1e30F, 0, -1e30F, 500, 499, -500;
  CrossEntropy<float>::Cache cache;
  const LossSum sum = CrossEntropy<float>::forward(logits, IdMatrix{{0, 1}}, 9, 0, cache);
  CHECK(sum.loss == Approx(1 + std::log(1 + std::exp(-1.0))).epsilon(1e-4));
  CHECK(d_logits_of<float>(logits, IdMatrix{{0, 1}}, 9, 0, 1, cache).allFinite());
  CHECK(sum.correct == 1);
}

TEST_CASE("The loss of a batch is the sum of its parts", "[layers]") {
  CrossEntropy<double>::Cache cache;
  const LossSum whole = CrossEntropy<double>::forward(kLogits, kExpected, 0, 0.1, cache);
  LossSum sum;
  for (Index n = 0; n < 3; ++n) {
    sum += CrossEntropy<double>::forward(kLogits.row(n), kExpected.col(n), 0, 0.1, cache);
  }
  CHECK(sum.loss == Approx(whole.loss).epsilon(1e-15));
  CHECK(sum.cross_entropy == Approx(whole.cross_entropy).epsilon(1e-15));
  CHECK(sum.tokens == whole.tokens);
  CHECK(sum.correct == whole.correct);
}
