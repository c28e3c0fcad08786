#include "layers/cross_entropy.hpp"

#include <algorithm>
#include <cassert>

#include "numerics/functions.hpp"
#include "numerics/row_operations.hpp"

namespace glassformer {

LossSum& LossSum::operator+=(const LossSum& other) {
  loss += other.loss;
  cross_entropy += other.cross_entropy;
  tokens += other.tokens;
  correct += other.correct;
  return *this;
}

template <std::floating_point Scalar>
LossSum CrossEntropy<Scalar>::forward(const Pass& pass, Buffer<Scalar>& logits, const IdMatrix& expected) {
  assert(expected.size() == logits.rows());
  p_ = &logits;
  expected_ = &expected;
  losses_.resize(logits.rows(), 1);
  cross_entropies_.resize(logits.rows(), 1);
  LossSum total;
  for (Index n = 0; n < logits.rows(); ++n) {
    const Id token = expected(n / expected.cols(), n % expected.cols());
    const bool counts = token != pad_;
    const auto row = logits.row(n);
    const Scalar expected_logit = counts ? row[token] : 0;  // the padding id need not be a column
    const Scalar mean_logit = sum(row) / static_cast<Scalar>(row.size());
    const Scalar largest_logit = largest(row);
    const bool is_correct =
        expected_logit == largest_logit && std::find(row.begin(), row.end(), largest_logit) - row.begin() == token;

    // p = exp(logit) / sum exp(logit).  Subtracting the largest logit first does not change p but keeps exp finite.
    const Scalar sum_exp = exponentials(row, largest_logit);
    scale(row, 1 / sum_exp);

    // loss = - sum over v of q_v log p_v, and -log p_v = log sum exp(logit) - logit_v, finite even if p_v rounds to 0.
    // q spreads `smoothing` evenly over all V tokens, hence the mean, and gives the rest to the expected token.
    const Scalar log_sum_exp = largest_logit + static_cast<Scalar>(log(double{sum_exp}));
    const double cross_entropy = log_sum_exp - expected_logit;
    const double mean_over_vocabulary = log_sum_exp - mean_logit;
    const double loss = (1 - smoothing_) * cross_entropy + smoothing_ * mean_over_vocabulary;
    losses_(n, 0) = counts ? static_cast<Scalar>(loss) : 0;
    cross_entropies_(n, 0) = counts ? static_cast<Scalar>(cross_entropy) : 0;
    if (counts) {
      total += {loss, cross_entropy, 1, is_correct};
    }
  }
  pass.record(name_, "p [N, V] = softmax of each row of {logits}", *p_, logits);
  pass.record(name_, "losses [N, 1] = - sum over v of q_v log {p}_v, q from {expected [B, T]}; 0 at padding", losses_,
              *p_, expected);
  return total;
}

template <std::floating_point Scalar>
const Buffer<Scalar>& CrossEntropy<Scalar>::backward(const Pass& pass, Scalar d_loss) {
  // loss = - sum over v of q_v log p_v, and log p_v = logit_v - log sum over k of exp(logit_k).  logit_j occurs in
  // log p_j itself and in the sum inside every log p_v. Let [v = j] be 1 if v = j and 0 otherwise. Then:
  //
  //   dlog p_v/dlogit_j = [v = j] - exp(logit_j) / sum over k of exp(logit_k) = [v = j] - p_j
  //   dloss/dlogit_j    = - sum over v of q_v ([v = j] - p_j) = -q_j + p_j                 because q sums to 1
  //   d_logit_j         = d_loss (p_j - q_j)
  const Buffer<Scalar>& p = *p_;
  Buffer<Scalar>& d_logits = *p_;
  const IdMatrix& expected = *expected_;
  const auto uniform_q = static_cast<Scalar>(smoothing_ / static_cast<double>(p.cols()));
  for (Index n = 0; n < p.rows(); ++n) {
    const Id token = expected(n / expected.cols(), n % expected.cols());
    const auto row = d_logits.row(n);
    if (token == pad_) {
      set(row, Scalar{0});
      continue;
    }
    for (Index v = 0; v < row.size(); ++v) {
      row[v] = d_loss * (row[v] - uniform_q);
    }
    row[token] -= d_loss * static_cast<Scalar>(1 - smoothing_);
  }
  pass.record(name_, "d_logits [N, V] = ({p} - q) * {d_loss [1, 1]}, q from {expected}; 0 at padding", d_logits, p,
              MatrixView<const Scalar>(&d_loss, 1, 1), expected);
  return d_logits;
}

template class CrossEntropy<float>;
template class CrossEntropy<double>;

}  // namespace glassformer
