#include "layers/cross_entropy.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "numerics/stretch.hpp"

namespace glassformer {

LossSum& LossSum::operator+=(const LossSum& other) {
  loss += other.loss;
  cross_entropy += other.cross_entropy;
  tokens += other.tokens;
  correct += other.correct;
  return *this;
}

namespace {

/// powers[v] becomes exp(logit_v - largest); gives their sum. They may take the place of the logits.
template <class Scalar>
Scalar exponentiate(const Scalar* logits, Index V, Scalar largest, Scalar* powers) {
  Stretch<Scalar> sum_of = Stretch<Scalar>::Zero();
  for (Index v = 0; v < V; v += kStretch) {
    const Stretch<Scalar> power = (load_stretch(logits, v, V, kMinusInfinity<Scalar>) - largest).exp();
    sum_of += power;
    store_stretch(power, powers, v, V);
  }
  return sum_of.sum();
}

/// The loss of one row, and its powers as above.
template <class Scalar>
LossSum row_forward(const Scalar* logits, Index V, Id token, double smoothing, Scalar* powers, Scalar& largest,
                    Scalar& sum_of_powers) {
  Stretch<Scalar> largest_of = Stretch<Scalar>::Constant(kMinusInfinity<Scalar>), sum_of = Stretch<Scalar>::Zero();
  for (Index v = 0; v < V; v += kStretch) {
    largest_of = largest_of.max(load_stretch(logits, v, V, kMinusInfinity<Scalar>));
    sum_of += load_stretch(logits, v, V, Scalar{0});
  }
  largest = largest_of.maxCoeff();
  const Scalar mean = sum_of.sum() / static_cast<Scalar>(V), expected = logits[token];
  const bool likeliest = expected == largest && std::find(logits, logits + token, largest) == logits + token;

  sum_of_powers = exponentiate(logits, V, largest, powers);
  const Scalar log_sum_exp = largest + std::log(sum_of_powers);
  const double cross_entropy = log_sum_exp - expected, mean_over_vocabulary = log_sum_exp - mean;
  return {(1 - smoothing) * cross_entropy + smoothing * mean_over_vocabulary, cross_entropy, 1, likeliest};
}

/// From the powers of one row to its gradient.
template <class Scalar>
void row_backward(Index V, Id token, double smoothing, Scalar d_loss, Scalar sum_of_powers, Scalar* row) {
  // loss = - sum q log p, log p = logit - log sum exp.  As q sums to 1:   d_logits = p - q
  const auto everywhere = static_cast<Scalar>(smoothing / static_cast<double>(V));
  const Scalar inv_sum = 1 / sum_of_powers;
  for (Index v = 0; v < V; ++v) row[v] = d_loss * (row[v] * inv_sum - everywhere);
  row[token] -= d_loss * static_cast<Scalar>(1 - smoothing);
}

}  // namespace

template <std::floating_point Scalar>
LossSum CrossEntropy<Scalar>::forward(ConstMatrixRef<Scalar> logits, const IdMatrix& expected, Id pad,
                                      double smoothing, Cache& cache, const Recorder& recorder) {
  assert(expected.size() == logits.rows());
  const Index V = logits.cols();
  LossSum sum;
  for (Buffer<Scalar>* of_row : {&cache.largest, &cache.sum_of_powers, &cache.losses}) {
    of_row->resize(logits.rows(), 1);
    of_row->setZero();
  }
  cache.powers.resize(1, V);
  for (Index n = 0; n < logits.rows(); ++n) {
    const Id token = expected.data()[n];
    if (token == pad) continue;
    const LossSum of_row = row_forward(logits.row(n).data(), V, token, smoothing, cache.powers.data(),
                                       cache.largest(n, 0), cache.sum_of_powers(n, 0));
    cache.losses(n, 0) = static_cast<Scalar>(of_row.loss);
    sum += of_row;
  }
  recorder.record("largest [N, 1] = max over v of {logits}, 0 at padding", cache.largest, logits);
  recorder.record("sum_of_powers [N, 1] = sum over v of exp({logits} - {largest}), 0 at padding", cache.sum_of_powers,
                  logits, cache.largest);
  recorder.record("losses [N, 1] = - sum over v of asked_v log p_v, p = exp({logits} - {largest}) / {sum_of_powers}, "
                  "asked from {expected [B, T]}; 0 at padding",
                  cache.losses, logits, cache.largest, cache.sum_of_powers, expected);
  return sum;
}

template <std::floating_point Scalar>
void CrossEntropy<Scalar>::backward(const IdMatrix& expected, Id pad, double smoothing, Scalar d_loss,
                                    const Cache& cache, MatrixRef<Scalar> logits, const Recorder& recorder) {
  for (Index n = 0; n < logits.rows(); ++n) {
    auto row = logits.row(n);
    const Id token = expected.data()[n];
    if (token == pad) {
      row.setZero();
      continue;
    }
    exponentiate(row.data(), logits.cols(), cache.largest(n, 0), row.data());
    row_backward(logits.cols(), token, smoothing, d_loss, cache.sum_of_powers(n, 0), row.data());
  }
  recorder.record("d_logits [N, V] = (exp({logits} - {largest}) / {sum_of_powers} - asked) * {d_loss [1, 1]}, "
                  "asked from {expected}; 0 at padding",
                  logits, logits, cache.largest, cache.sum_of_powers, Eigen::Map<const Matrix<Scalar>>(&d_loss, 1, 1),
                  expected);
}

template <std::floating_point Scalar>
LossSum CrossEntropy<Scalar>::forward_and_backward(const IdMatrix& expected, Id pad, double smoothing, Scalar d_loss,
                                                   MatrixRef<Scalar> logits) {
  assert(expected.size() == logits.rows());
  LossSum sum;
  for (Index n = 0; n < logits.rows(); ++n) {
    Scalar* const row = logits.row(n).data();
    const Id token = expected.data()[n];
    if (token == pad) {
      logits.row(n).setZero();
      continue;
    }
    Scalar largest, sum_of_powers;
    sum += row_forward(row, logits.cols(), token, smoothing, row, largest, sum_of_powers);
    row_backward(logits.cols(), token, smoothing, d_loss, sum_of_powers, row);
  }
  return sum;
}

template struct CrossEntropy<float>;
template struct CrossEntropy<double>;

}  // namespace glassformer
