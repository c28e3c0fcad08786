#include <cmath>
#include <limits>

#include "catch.hpp"
#include "glassformer/layers/cross_entropy.hpp"
#include "gradients.hpp"

using namespace glassformer;

namespace {

/// Three rows; the last one is padding (pad 0).
const Buffer<double> kLogits{{2, 0.5, -1, 0, 1}, {0, 0, 3, -2, 0.5}, {1, 1, 1, 1, 1}};
const IdMatrix kExpected{{4, 2, 0}};

/// The results of forward and then backward.
template <class Scalar>
struct ComputedLoss {
  CrossEntropy<Scalar> layer;
  LossSum sum;
  Buffer<Scalar> p, losses, cross_entropies, d_logits;

  ComputedLoss(Buffer<Scalar> logits, const IdMatrix& expected, const CrossEntropySettings& settings, Scalar d_loss = 1)
      : layer("loss", settings) {
    const Losses<Scalar> results = layer.forward_in_place({}, logits, expected);
    sum = results;
    p = results.p;
    losses = results.of_rows;
    cross_entropies = results.cross_entropies;
    d_logits = layer.backward_in_place({}, d_loss);
  }
};

LossSum loss_sum_of(const Buffer<double>& logits, const IdMatrix& expected, const CrossEntropySettings& settings) {
  return ComputedLoss<double>(logits, expected, settings).sum;
}

}  // namespace

TEST_CASE("Cross-entropy and its gradient match PyTorch on the worked example", "[layers]") {
  const ComputedLoss<double> computed(kLogits, kExpected, {.pad = 0}, 0.5);
  const LossSum& sum = computed.sum;
  CHECK(sum.tokens == 2);
  CHECK(sum.correct == 1);
  CHECK(sum.loss == Approx(1.74704334913).epsilon(1e-10));
  CHECK(sum.loss / static_cast<double>(sum.tokens) == Approx(0.873521674565).epsilon(1e-10));

  const Matrix<double> d_logits{{0.281510615907, 0.0628135088108, 0.0140155882804, 0.0380983189379, -0.396438031936},
                                {0.0209471518851, 0.0209471518851, -0.079265207377, 0.00283488873337, 0.0345360148735},
                                {0, 0, 0, 0, 0}};
  CHECK(largest_difference(computed.d_logits, d_logits) < 1e-10);
}

TEST_CASE("If tokens are equally likely, the first one counts as the prediction, as with argmax", "[layers]") {
  const Buffer<double> logits{{0, 2, 2, -1}};
  CHECK(loss_sum_of(logits, IdMatrix{{1}}, {.pad = 0}).correct == 1);
  CHECK(loss_sum_of(logits, IdMatrix{{2}}, {.pad = 0}).correct == 0);
}

TEST_CASE("Label smoothing is spread over all classes, as in torch.nn.CrossEntropyLoss", "[layers]") {
  const ComputedLoss<double> computed(kLogits, kExpected, {0, 0.1}, 0.5);
  const LossSum& sum = computed.sum;
  CHECK(sum.loss / 2 == Approx(1.03352167457).epsilon(1e-10));
  CHECK(sum.cross_entropy / 2 == Approx(0.873521674565).epsilon(1e-10));  // reported without smoothing

  const Matrix<double> d_logits{{0.271510615907, 0.0528135088108, 0.00401558828045, 0.0280983189379, -0.356438031936},
                                {0.0109471518851, 0.0109471518851, -0.039265207377, -0.00716511126663, 0.0245360148735},
                                {0, 0, 0, 0, 0}};
  CHECK(largest_difference(computed.d_logits, d_logits) < 1e-10);
}

TEMPLATE_TEST_CASE("Rows where padding is expected do not count, whatever their logits are", "[layers]", float,
                   double) {
  constexpr Id kPad = 3;
  const IdMatrix expected{{4, kPad}, {kPad, 0}};
  RandomValues random(1);
  Buffer<TestType> logits = random.matrix<TestType>(4, 5);
  const ComputedLoss<TestType> computed(logits, expected, {kPad, 0.1});

  logits.eigen().middleRows(1, 2).setConstant(std::numeric_limits<TestType>::quiet_NaN());
  const ComputedLoss<TestType> with_nan(logits, expected, {kPad, 0.1});
  CHECK(computed.sum.tokens == 2);
  CHECK(with_nan.sum.tokens == 2);
  CHECK(with_nan.sum.loss == computed.sum.loss);
  CHECK(with_nan.sum.correct == computed.sum.correct);
  CHECK(same_bits(with_nan.d_logits, computed.d_logits));
  CHECK(computed.d_logits.eigen().middleRows(1, 2).isZero(0));
  for (const Index padded : {1, 2}) {
    CHECK(with_nan.losses(padded, 0) == 0);
    CHECK(with_nan.cross_entropies(padded, 0) == 0);
  }
}

TEST_CASE("The padding id need not be a column of the logits", "[layers]") {
  for (const Id pad : {-1, 5}) {
    const ComputedLoss<double> computed(kLogits, IdMatrix{{4, 2, pad}}, {pad, 0.1}, 0.5);
    const ComputedLoss<double> usual(kLogits, kExpected, {0, 0.1}, 0.5);
    CHECK(computed.sum.loss == usual.sum.loss);
    CHECK(same_bits(computed.d_logits, usual.d_logits));
  }
}

TEMPLATE_TEST_CASE("Forward turns the logits into probabilities and stores what each row adds to the loss", "[layers]",
                   float, double) {
  RandomValues random(3);
  const Buffer<TestType> logits =
      buffer_of(random.matrix<TestType>(3, 40).eigen() * 3);  // 40: not an integer of chunks
  const IdMatrix expected{{4, 0, 39}};
  const ComputedLoss<TestType> computed(logits, expected, {7, 0.1});
  for (Index n = 0; n < 3; ++n) {
    const Eigen::ArrayXd powers = logits.eigen().row(n).template cast<double>().transpose().array().exp();
    const Eigen::ArrayXd p = powers / powers.sum();
    CHECK(largest_difference(computed.p.row(n), p.matrix().transpose().template cast<TestType>()) < 1e-6);
    CHECK(computed.cross_entropies(n, 0) == Approx(-std::log(p(expected(0, n)))));
    CHECK(computed.losses(n, 0) == Approx(-0.9 * std::log(p(expected(0, n))) - 0.1 * p.log().mean()));
  }
  CHECK(computed.losses.eigen().template cast<double>().sum() == Approx(computed.sum.loss));
  CHECK(computed.cross_entropies.eigen().template cast<double>().sum() == Approx(computed.sum.cross_entropy));
}

TEST_CASE("A batch of nothing but padding has no tokens, no loss and no gradient", "[layers]") {
  const ComputedLoss<double> computed(kLogits, IdMatrix{{0, 0, 0}}, {0, 0.1});
  CHECK(computed.sum.tokens == 0);
  CHECK(computed.sum.loss == 0);
  CHECK(computed.d_logits.eigen().isZero(0));
}

TEST_CASE("The gradient of cross-entropy is right, and sums to zero over each row", "[layers]") {
  const IdMatrix expected{{4, 1, 6}, {0, 6, 2}};
  for (const double smoothing : {0.0, 0.1, 0.7}) {
    RandomValues random(2);
    Buffer<double> logits = buffer_of(3 * random.matrix(6, 7).eigen());
    Buffer<double> d_logits;
    constexpr double kDLoss = 0.37;
    require_gradients(
        [&] {
          return kDLoss * loss_sum_of(logits, expected, {6, smoothing}).loss;
        },
        [&]() -> InputGradients {
          d_logits = ComputedLoss<double>(logits, expected, {6, smoothing}, kDLoss).d_logits;
          return {{"logits", logits, d_logits}};
        });
    CHECK(d_logits.eigen().rowwise().sum().cwiseAbs().maxCoeff() < 1e-15);
  }
}

TEST_CASE("Large logits overflow neither the loss nor the gradient", "[layers]") {
  const Buffer<float> logits{{1e30F, 0, -1e30F}, {500, 499, -500}};
  const ComputedLoss<float> computed(logits, IdMatrix{{0, 1}}, {.pad = 9});
  CHECK(computed.sum.loss == Approx(1 + std::log(1 + std::exp(-1.0))).epsilon(1e-4));
  CHECK(computed.d_logits.eigen().allFinite());
  CHECK(computed.sum.correct == 1);
}

TEST_CASE("The loss of a batch is the sum of its parts", "[layers]") {
  const LossSum whole = loss_sum_of(kLogits, kExpected, {0, 0.1});
  LossSum sum;
  for (Index n = 0; n < 3; ++n) {
    sum += loss_sum_of(buffer_of(kLogits.row(n)), IdMatrix{{kExpected(0, n)}}, {0, 0.1});
  }
  CHECK(sum.loss == Approx(whole.loss).epsilon(1e-15));
  CHECK(sum.cross_entropy == Approx(whole.cross_entropy).epsilon(1e-15));
  CHECK(sum.tokens == whole.tokens);
  CHECK(sum.correct == whole.correct);
}
