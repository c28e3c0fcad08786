#include "layers/cross_entropy.hpp"

#include <cassert>
#include <cmath>

namespace glassformer {

LossSum& LossSum::operator+=(const LossSum& other) {
  loss += other.loss;
  cross_entropy += other.cross_entropy;
  tokens += other.tokens;
  correct += other.correct;
  return *this;
}

template <std::floating_point Scalar>
LossSum CrossEntropy<Scalar>::forward(ConstMatrixRef<Scalar> logits, const IdMatrix& expected, Id pad,
                                      double smoothing, Cache& cache) {
  assert(expected.size() == logits.rows());
  LossSum sum;
  cache.log_sum_exp.resize(logits.rows(), 1);
  for (Index n = 0; n < logits.rows(); ++n) {
    const Id token = expected.data()[n];
    if (token == pad) continue;
    const Scalar largest = logits.row(n).maxCoeff();
    const Scalar log_sum_exp = largest + std::log((logits.row(n).array() - largest).exp().sum());
    cache.log_sum_exp(n, 0) = log_sum_exp;

    const double cross_entropy = log_sum_exp - logits(n, token);
    const double mean_over_vocabulary = log_sum_exp - logits.row(n).mean();
    const bool likeliest = logits(n, token) == largest && !(logits.row(n).head(token).array() == largest).any();
    sum += {(1 - smoothing) * cross_entropy + smoothing * mean_over_vocabulary, cross_entropy, 1, likeliest};
  }
  return sum;
}

template <std::floating_point Scalar>
void CrossEntropy<Scalar>::backward(const IdMatrix& expected, Id pad, double smoothing, Scalar d_loss,
                                    const Cache& cache, MatrixRef<Scalar> logits) {
  // loss = - sum q log p, log p = logit - log sum exp.  As q sums to 1:   d_logits = p - q
  const auto everywhere = static_cast<Scalar>(smoothing / static_cast<double>(logits.cols()));
  for (Index n = 0; n < logits.rows(); ++n) {
    auto row = logits.row(n);
    const Id token = expected.data()[n];
    if (token == pad) {
      row.setZero();
      continue;
    }
    row.array() = d_loss * ((row.array() - cache.log_sum_exp(n, 0)).exp() - everywhere);
    row(token) -= d_loss * static_cast<Scalar>(1 - smoothing);
  }
}

template struct CrossEntropy<float>;
template struct CrossEntropy<double>;

}  // namespace glassformer
