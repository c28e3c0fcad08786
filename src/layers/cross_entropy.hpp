#pragma once

#include <concepts>

#include "layers/recorder.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// What the loss of some tokens adds up to, in nats. Sums, to be divided once, by the tokens of the whole batch.
struct LossSum {
  double loss = 0;           ///< the objective: cross-entropy with label smoothing
  double cross_entropy = 0;  ///< without label smoothing; exp of its mean is the perplexity
  Index tokens = 0;          ///< expected tokens, padding not counted
  Index correct = 0;         ///< of which the likeliest token is the expected one

  LossSum& operator+=(const LossSum& other);
};

/// Cross-entropy of logits with label smoothing, as torch.nn.CrossEntropyLoss(label_smoothing, reduction="sum"):
///
///   log p_v = logit_v - log(sum over k of exp(logit_k))
///   loss    = - sum over v of q_v log p_v        q_v = (1 - smoothing) [v is expected] + smoothing / V
///
/// Rows where padding is expected count nothing. N = rows (tokens), V = vocabulary.
template <std::floating_point Scalar>
struct CrossEntropy {
  /// What backward must remember of forward. The logits, by far the largest, are not among it.
  struct Cache {
    Buffer<Scalar> largest;        // [N, 1]: of the logits; here and below, 0 where padding is expected
    Buffer<Scalar> sum_of_powers;  // [N, 1]: of exp(logit - largest)
    Buffer<Scalar> losses;         // [N, 1]
    Buffer<Scalar> powers;         // [1, V]: of the row at hand
  };

  /// logits [N, V], expected: N ids in the order of the rows.
  static LossSum forward(ConstMatrixRef<Scalar> logits, const IdMatrix& expected, Id pad, double smoothing,
                         Cache& cache, const Recorder& recorder = {});
  /// In place: the logits [N, V] become d_logits, for they are by far the largest matrix. d_loss is the derivative of
  /// the result by the sum of the rows' losses: 1 / tokens, for a mean over tokens.
  static void backward(const IdMatrix& expected, Id pad, double smoothing, Scalar d_loss, const Cache& cache,
                       MatrixRef<Scalar> logits, const Recorder& recorder = {});
  /// Both at once, row by row, where d_loss is known beforehand, as in training: a row has as many numbers as the
  /// vocabulary, and comes from memory once instead of twice.
  static LossSum forward_and_backward(const IdMatrix& expected, Id pad, double smoothing, Scalar d_loss,
                                      MatrixRef<Scalar> logits);
};

}  // namespace glassformer
