#pragma once

#include <concepts>
#include <string>
#include <utility>

#include "glassformer/layers/loss_sum.hpp"
#include "glassformer/layers/pass.hpp"

namespace glassformer {

struct CrossEntropySettings {
  Id pad = 0;
  double label_smoothing = 0;
};

/// The sum over all rows, and the results for each row.
template <std::floating_point Scalar>
struct Losses : LossSum {
  const Buffer<Scalar>& p;                ///< [N, V] the probability of each token
  const Buffer<Scalar>& of_rows;          ///< [N, 1] the loss of each row, 0 where padding is expected
  const Buffer<Scalar>& cross_entropies;  ///< [N, 1] the same without label smoothing: -log p of the expected token
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

  /// Returns the losses. Turns the logits [N, V] into the probabilities p, in the same memory, because no other matrix
  /// is nearly as large. expected [B, T] holds the expected token of each row, N = B * T.
  Losses<Scalar> forward_in_place(const Pass& pass, Buffer<Scalar>& logits, const IdMatrix& expected);
  Losses<Scalar> forward_in_place(const Pass& pass, Buffer<Scalar>& logits, IdMatrix&& expected) = delete;
  /// Turns forward's p [N, V] into d_logits, and returns it. d_loss is the objective's derivative with respect to the
  /// loss of one row: 1 if the objective is the sum over tokens, 1 / tokens if it is the mean.
  const Buffer<Scalar>& backward_in_place(const Pass& pass, Scalar d_loss);

 private:
  LossSum forward_row(RowView<Scalar> logits, Id token) const;

  std::string name_;
  Id pad_;
  double smoothing_;
  Buffer<Scalar>* p_ = nullptr;              // forward's logits
  const IdMatrix* expected_ = nullptr;       // forward's argument, which backward reads
  Buffer<Scalar> losses_, cross_entropies_;  // [N, 1]
};

}  // namespace glassformer
