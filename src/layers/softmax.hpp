#pragma once

#include <concepts>
#include <cstdint>

#include "numerics/matrix.hpp"

namespace glassformer {

/// Softmax over each row, seeing only what is not blocked:
///
///   weight_j = exp(score_j) / sum over visible k of exp(score_k)      0 exactly where blocked
///
/// The largest visible score is subtracted first; that changes nothing but keeps exp finite. Where nothing is
/// visible the weights are all 0: no evidence, no attention, no NaN. (Adding -1e9 instead, as one often sees,
/// makes such a row attend to everything.)
///
/// T = queries, S = keys of one head of one sentence.
template <std::floating_point Scalar>
struct MaskedSoftmax {
  /// Turns one row of scores [S] into weights [S], in place. blocked [S]: 1 = blocked.
  static void forward_row(const std::uint8_t* blocked, Index size, Scalar* scores);

  /// Turns d_weights [T, S] into d_scores [T, S], in place.
  static void backward(ConstMatrixRef<Scalar> weights, MatrixRef<Scalar> d_weights);
};

}  // namespace glassformer
