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

/// Softmax and cross-entropy with label smoothing, as torch.nn.CrossEntropyLoss(label_smoothing, reduction="sum"):
///
///   p_v  = exp(logit_v) / sum over k of exp(logit_k)
///   loss = - sum over v of q_v log p_v        q_v = (1 - smoothing) [v is expected] + smoothing / V
///
/// and its gradient, for q sums to 1:   d_logit_v = (p_v - q_v) * d_loss
///
/// Rows where padding is expected add nothing to the loss and get no gradient. N = rows (tokens), V = vocabulary.
template <std::floating_point Scalar>
struct CrossEntropy {
  /// Each row's share of the result; 0 where padding is expected.
  struct Cache {
    Buffer<Scalar> losses;           // [N, 1]
    Buffer<Scalar> cross_entropies;  // [N, 1]: without label smoothing: -log p of the expected token
  };

  /// In place, because the logits [N, V] are by far the largest matrix: they become the probabilities p.
  /// expected: N ids in the order of the rows.
  static LossSum forward(const IdMatrix& expected, Id pad, double smoothing, MatrixRef<Scalar> logits, Cache& cache,
                         const Recorder& recorder = {});
  /// In place again: forward's p [N, V] becomes d_logits. d_loss is the derivative of the result with respect to the
  /// sum of the rows' losses: 1 / tokens, for a mean over tokens.
  static void backward(const IdMatrix& expected, Id pad, double smoothing, Scalar d_loss, MatrixRef<Scalar> p,
                       const Recorder& recorder = {});
};

}  // namespace glassformer
