#pragma once

#include <concepts>
#include <string>
#include <utility>

#include "layers/pass.hpp"

namespace glassformer {

/// The loss summed over some tokens, in nats. Divide only once, by the number of tokens in the whole batch.
struct LossSum {
  double loss = 0;           ///< the objective: cross-entropy with label smoothing
  double cross_entropy = 0;  ///< without label smoothing; exp of its mean is the perplexity
  Index tokens = 0;          ///< expected tokens, without padding
  Index correct = 0;         ///< expected tokens that the model ranks first

  double mean() const { return loss / static_cast<double>(tokens); }
  LossSum& operator+=(const LossSum& other);
};

struct CrossEntropySettings {
  Id pad = 0;
  double label_smoothing = 0;
};

/// Softmax and cross-entropy with label smoothing, like torch.nn.CrossEntropyLoss(label_smoothing, reduction="sum"):
///
///   p_v  = exp(logit_v) / sum over k of exp(logit_k)
///   loss = - sum over v of q_v log p_v        q_v = 1 - smoothing + smoothing / V   if v is the expected token
///                                             q_v = smoothing / V                   if not
///
/// Rows whose expected token is padding add nothing to the loss and get gradient 0. N = rows (tokens), V = vocabulary.
template <std::floating_point Scalar>
class CrossEntropy {
 public:
  CrossEntropy(std::string name, const CrossEntropySettings& settings)
      : name_(std::move(name)), pad_(settings.pad), smoothing_(settings.label_smoothing) {}

  /// Returns the loss of all rows. Turns the logits [N, V] into the probabilities p, in place, because they are by far
  /// the largest matrix. expected [B, T] holds the expected token of each row, N = B * T.
  LossSum forward(const Pass& pass, Buffer<Scalar>& logits, const IdMatrix& expected);
  LossSum forward(const Pass& pass, Buffer<Scalar>& logits, IdMatrix&& expected) = delete;  // backward reads it
  /// Turns forward's p [N, V] into d_logits, in place, and returns it. d_loss is the objective's derivative with
  /// respect to the loss of one row: 1 if the objective is the sum over tokens, 1 / tokens if it is the mean.
  const Buffer<Scalar>& backward(const Pass& pass, Scalar d_loss);

  /// The loss of each row, 0 where padding is expected. [N, 1]
  const Buffer<Scalar>& losses() const { return losses_; }
  /// The same without label smoothing: -log p of the expected token. [N, 1]
  const Buffer<Scalar>& cross_entropies() const { return cross_entropies_; }

 private:
  std::string name_;
  Id pad_;
  double smoothing_;
  Buffer<Scalar>* p_ = nullptr;  // forward's logits
  const IdMatrix* expected_ = nullptr;
  Buffer<Scalar> losses_, cross_entropies_;  // [N, 1]
};

}  // namespace glassformer
