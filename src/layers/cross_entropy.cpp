#include "glassformer/layers/cross_entropy.hpp"

#include <algorithm>
#include <cassert>

#include "glassformer/numerics/functions.hpp"
#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {

namespace {

/// The expected token of row n, from expected [B, T].
Id token_of_row(const IdMatrix& expected, Index n) { return expected(n / expected.cols(), n % expected.cols()); }

/// Whether the model ranks a token first: its logit is the largest of the row, and the first of those equally large.
template <class Scalar>
bool ranks_first(RowView<const Scalar> logits, Id token, Scalar largest_logit) {
  return logits[token] == largest_logit &&
         std::find(logits.begin(), logits.end(), largest_logit) - logits.begin() == token;
}

/// Turns a row of logits into p, and returns log sum exp(logit). Subtracting the largest logit first does not change p
/// but keeps exp finite.
template <class Scalar>
Scalar softmax_in_place(RowView<Scalar> logits, Scalar largest_logit) {
  const Scalar sum_exp = exponentials(logits, largest_logit);
  scale(logits, 1 / sum_exp);
  return largest_logit + static_cast<Scalar>(log(double{sum_exp}));
}

/// - sum over v of q_v log p_v.  q spreads `smoothing` evenly over all V tokens, and gives the rest to the expected
/// one. So the loss is the weighted mean of -log p of the expected token, and of the mean of -log p_v over the
/// vocabulary.
double smoothed_loss(double cross_entropy, double mean_over_vocabulary, double smoothing) {
  return (1 - smoothing) * cross_entropy + smoothing * mean_over_vocabulary;
}

}  // namespace

template <std::floating_point Scalar>
Losses<Scalar> CrossEntropy<Scalar>::forward_in_place(const Pass& pass, Buffer<Scalar>& logits,
                                                      const IdMatrix& expected) {
  assert(expected.size() == logits.rows());
  p_ = &logits;
  expected_ = &expected;
  losses_.resize(logits.rows(), 1);
  cross_entropies_.resize(logits.rows(), 1);
  LossSum total;
  for (Index n = 0; n < logits.rows(); ++n) {
    const LossSum row = forward_row(logits.row(n), token_of_row(expected, n));
    losses_(n, 0) = static_cast<Scalar>(row.loss);
    cross_entropies_(n, 0) = static_cast<Scalar>(row.cross_entropy);
    total += row;
  }
  pass.record(name_, "p [N, V] = softmax of each row of {logits}", *p_, logits);
  pass.record(name_, "losses [N, 1] = - sum over v of q_v log {p}_v, q from {expected [B, T]}; 0 at padding", losses_,
              *p_, expected);
  return {total, *p_, losses_, cross_entropies_};
}

/// Turns a row of logits [V] into p, and returns its loss if `token` is expected. Padding adds nothing to the loss.
template <std::floating_point Scalar>
LossSum CrossEntropy<Scalar>::forward_row(RowView<Scalar> logits, Id token) const {
  const Scalar mean_logit = sum(logits) / static_cast<Scalar>(logits.size());
  const Scalar largest_logit = largest(logits);
  if (token == pad_) {  // pad need not be a column of the logits
    softmax_in_place(logits, largest_logit);
    return {};
  }
  const Scalar expected_logit = logits[token];
  const bool is_correct = ranks_first<Scalar>(logits, token, largest_logit);
  const Scalar log_sum_exp = softmax_in_place(logits, largest_logit);

  // -log p_v = log sum exp(logit) - logit_v, which is finite even if p_v rounds to 0.
  const double cross_entropy = log_sum_exp - expected_logit;
  const double mean_over_vocabulary = log_sum_exp - mean_logit;
  return {smoothed_loss(cross_entropy, mean_over_vocabulary, smoothing_), cross_entropy, 1, is_correct};
}

template <std::floating_point Scalar>
const Buffer<Scalar>& CrossEntropy<Scalar>::backward_in_place(const Pass& pass, Scalar d_loss) {
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
    const Id token = token_of_row(expected, n);
    const auto row = d_logits.row(n);
    if (token == pad_) {
      std::ranges::fill(row, Scalar{0});
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
