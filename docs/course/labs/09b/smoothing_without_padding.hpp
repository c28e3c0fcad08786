#pragma once

#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

struct SmoothingSettings {
  Id pad = 0;            ///< the padding token, a column of the logits
  double smoothing = 0;  ///< from 0 to 1
};

/// Cross-entropy with label smoothing that leaves out padding, as in OpenNMT-py 2 (LabelSmoothingLoss) and the
/// Annotated Transformer (Rush 2018):
///
///   loss = - sum over v of q_v log p_v        q_v = 1 - smoothing          if v is the expected token
///                                             q_v = 0                      if v is padding
///                                             q_v = smoothing / (V - 2)    if v is any other token
///
/// In lab 9, padding gets a share of smoothing / V: the model is told to predict it now and then. Here, it never is, so
/// its logit may even be -infinity, as in a model that must not predict padding.
///
/// Rows whose expected token is padding add nothing to the loss and get gradient 0. N = rows (tokens), V = vocabulary,
/// at least 3.

/// Writes the q of a row whose expected token is `expected`, which is not padding, to q [V].
void smoothed_target(const SmoothingSettings& settings, Id expected, RowView<double> q);

/// The sum of the losses of all rows. logits [N, V], expected [B, T] holds the expected token of each row, N = B * T.
double smoothed_cross_entropy(const SmoothingSettings& settings, const Buffer<double>& logits,
                              const IdMatrix& expected);

/// d_logits [N, V] of the same loss. d_loss is the objective's derivative with respect to the loss of one row.
Buffer<double> smoothed_cross_entropy_backward(const SmoothingSettings& settings, const Buffer<double>& logits,
                                               const IdMatrix& expected, double d_loss);

}  // namespace glassformer
