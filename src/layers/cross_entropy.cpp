#include "layers/cross_entropy.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

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

/// Turns one row of logits [V] into probabilities p, and returns its loss.
template <class Scalar>
LossSum row_forward(Index V, Id token, double smoothing, Scalar* logits) {
  Stretch<Scalar> largest_of = Stretch<Scalar>::Constant(kMinusInfinity<Scalar>), sum_of = Stretch<Scalar>::Zero();
  for (Index v = 0; v < V; v += kStretch) {
    largest_of = largest_of.max(load_stretch(logits, v, V, kMinusInfinity<Scalar>));
    sum_of += load_stretch(logits, v, V, Scalar{0});
  }
  const Scalar largest = largest_of.maxCoeff(), mean = sum_of.sum() / static_cast<Scalar>(V), expected = logits[token];
  const bool likeliest = expected == largest && std::find(logits, logits + token, largest) == logits + token;

  // p = exp(logit) / sum exp(logit).  The largest logit is subtracted first: that changes nothing but keeps exp finite.
  sum_of.setZero();
  for (Index v = 0; v < V; v += kStretch) {
    const Stretch<Scalar> power = (load_stretch(logits, v, V, kMinusInfinity<Scalar>) - largest).exp();
    sum_of += power;
    store_stretch(power, logits, v, V);
  }
  const Scalar sum = sum_of.sum(), inv_sum = 1 / sum;
  for (Index v = 0; v < V; ++v) logits[v] *= inv_sum;

  // loss = - sum q log p, and log p = logit - log sum exp(logit), which is finite even where p rounds to 0
  const Scalar log_sum_exp = largest + std::log(sum);
  const double cross_entropy = log_sum_exp - expected, mean_over_vocabulary = log_sum_exp - mean;
  return {(1 - smoothing) * cross_entropy + smoothing * mean_over_vocabulary, cross_entropy, 1, likeliest};
}

/// Turns one row of probabilities [V] into its gradient.
template <class Scalar>
void row_backward(Index V, Id token, double smoothing, Scalar d_loss, Scalar* row) {
  // loss = - sum q log p.  As q sums to 1:   d_logits = p - q
  const auto everywhere = static_cast<Scalar>(smoothing / static_cast<double>(V));
  for (Index v = 0; v < V; ++v) row[v] = d_loss * (row[v] - everywhere);
  row[token] -= d_loss * static_cast<Scalar>(1 - smoothing);
}

}  // namespace

template <std::floating_point Scalar>
LossSum CrossEntropy<Scalar>::forward(const IdMatrix& expected, Id pad, double smoothing, MatrixRef<Scalar> logits,
                                      Cache& cache, const Recorder& recorder) {
  assert(expected.size() == logits.rows());
  cache.losses.resize(logits.rows(), 1);
  cache.cross_entropies.resize(logits.rows(), 1);
  LossSum sum;
  for (Index n = 0; n < logits.rows(); ++n) {
    const Id token = expected.data()[n];
    const bool counts = token != pad;  // the id of padding need not be a column of the logits
    LossSum of_row = row_forward(logits.cols(), counts ? token : 0, smoothing, logits.row(n).data());
    if (!counts) of_row = {};
    cache.losses(n, 0) = static_cast<Scalar>(of_row.loss);
    cache.cross_entropies(n, 0) = static_cast<Scalar>(of_row.cross_entropy);
    sum += of_row;
  }
  const MatrixRef<Scalar>& p = logits;
  recorder.record("p [N, V] = softmax of each row of {logits}", p, logits);
  recorder.record("losses [N, 1] = - sum over v of q_v log {p}_v, q from {expected [B, T]}; 0 at padding", cache.losses,
                  p, expected);
  return sum;
}

template <std::floating_point Scalar>
void CrossEntropy<Scalar>::backward(const IdMatrix& expected, Id pad, double smoothing, Scalar d_loss,
                                    MatrixRef<Scalar> p, const Recorder& recorder) {
  MatrixRef<Scalar>& d_logits = p;
  for (Index n = 0; n < p.rows(); ++n) {
    const Id token = expected.data()[n];
    if (token == pad)
      d_logits.row(n).setZero();
    else
      row_backward(p.cols(), token, smoothing, d_loss, p.row(n).data());
  }
  recorder.record("d_logits [N, V] = ({p} - q) * {d_loss [1, 1]}, q from {expected}; 0 at padding", d_logits, p,
                  Eigen::Map<const Matrix<Scalar>>(&d_loss, 1, 1), expected);
}

template struct CrossEntropy<float>;
template struct CrossEntropy<double>;

}  // namespace glassformer
