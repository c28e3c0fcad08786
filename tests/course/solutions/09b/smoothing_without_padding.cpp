#include "smoothing_without_padding.hpp"

#include <algorithm>

#include "glassformer/numerics/functions.hpp"
#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {
namespace {

/// The expected token of row n, from expected [B, T].
Id token_of_row(const IdMatrix& expected, Index n) { return expected(n / expected.cols(), n % expected.cols()); }

}  // namespace

void smoothed_target(const SmoothingSettings& settings, Id expected, RowView<double> q) {
  // V - 2: neither the expected token nor padding takes part in the smoothing.
  std::ranges::fill(q, settings.smoothing / static_cast<double>(q.size() - 2));
  q[settings.pad] = 0;
  q[expected] = 1 - settings.smoothing;
}

double smoothed_cross_entropy(const SmoothingSettings& settings, const Buffer<double>& logits,
                              const IdMatrix& expected) {
  Buffer<double> powers(1, logits.cols());
  Buffer<double> q(1, logits.cols());
  double loss = 0;
  for (Index n = 0; n < logits.rows(); ++n) {
    const Id token = token_of_row(expected, n);
    if (token == settings.pad) {
      continue;
    }
    const auto row = logits.row(n);
    std::ranges::copy(row, powers.row(0).begin());
    const double largest_logit = largest(row);
    const double log_sum_exp = largest_logit + log(exponentials(powers.row(0), largest_logit));
    smoothed_target(settings, token, q.row(0));
    for (Index v = 0; v < row.size(); ++v) {
      if (q(0, v) != 0) {  // 0 log 0 counts as 0, as in any entropy; in floating point, 0 times infinity is NaN
        loss += q(0, v) * (log_sum_exp - row[v]);
      }
    }
  }
  return loss;
}

Buffer<double> smoothed_cross_entropy_backward(const SmoothingSettings& settings, const Buffer<double>& logits,
                                               const IdMatrix& expected, double d_loss) {
  // As in lab 9, log p_v = logit_v - log sum over k of exp(logit_k), so dlog p_v/dlogit_j = [v = j] - p_j, and
  //
  //   dloss/dlogit_j = - sum over v of q_v ([v = j] - p_j) = -q_j + p_j sum over v of q_v = p_j - q_j
  //
  // This needs nothing of q but that it adds up to 1, as it does here: (1 - s) + (V - 2) s / (V - 2). Padding has q =
  // 0, so its gradient is p: whatever probability it has is too much.
  Buffer<double> d_logits = logits;
  Buffer<double> q(1, logits.cols());
  for (Index n = 0; n < logits.rows(); ++n) {
    const Id token = token_of_row(expected, n);
    const auto row = d_logits.row(n);
    if (token == settings.pad) {
      std::ranges::fill(row, 0.0);
      continue;
    }
    const double sum_exp = exponentials(row, largest(row));
    smoothed_target(settings, token, q.row(0));
    for (Index v = 0; v < row.size(); ++v) {
      row[v] = d_loss * (row[v] / sum_exp - q(0, v));
    }
  }
  return d_logits;
}

}  // namespace glassformer
