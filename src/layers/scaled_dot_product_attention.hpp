#pragma once

#include <concepts>
#include <string>

#include "glassformer/layers/dropout.hpp"
#include "glassformer/layers/masks.hpp"
#include "glassformer/layers/softmax.hpp"

namespace glassformer {

struct AttentionSettings {
  Index width = 0;     ///< D
  Index heads = 1;     ///< H; divides the width
  double dropout = 0;  ///< rate, for the attention weights
  bool scaled = true;  ///< divide scores by sqrt(d_head)
};

/// Scaled dot-product attention of all heads (Vaswani et al. 2017, sections 3.2.1 and 3.2.2):
///
///   scores  = Q K^T / sqrt(d_head)                [T, S] for each head of each sentence; products = Q K^T
///   weights = masked softmax of scores            exactly 0 where the mask blocks
///   context = dropout(weights) V                  [T, d_head]
///
/// Why sqrt(d_head)? If the elements of q and k are independent with mean 0 and variance 1, each product q_j k_j also
/// has mean 0 and variance 1. Their sum q . k has d_head terms, so it has variance d_head. Divided by sqrt(d_head), it
/// has variance 1 at any width. (Large scores give weights near 0 and 1, where softmax has almost no gradient.)
///
/// B sentences with T queries and S keys each, H heads, D = model width. N = B*T rows of queries, M = B*S rows of keys.
/// Head h owns d_head = D / H columns of Q, K, V and the context, starting at column h * d_head. The [T, S] matrices of
/// all heads are stacked into [B*H*T, S]: head h of sentence b owns T rows, starting at row (b * H + h) * T.
///
/// Keys and values that are blocked for a query never affect its result: they may hold anything, even infinity or NaN.
template <std::floating_point Scalar>
class ScaledDotProductAttention {
 public:
  ScaledDotProductAttention(const Part<Scalar>& part, const AttentionSettings& settings);

  const std::string& name() const { return name_; }

  /// Maps q [B*T, D], k and v [B*S, D] to the context [B*T, D]. Backward reads all three.
  Buffer<Scalar>& forward(const Pass& pass, MatrixView<const Scalar> q, MatrixView<const Scalar> k,
                          MatrixView<const Scalar> v, const Mask& mask);

  /// Maps d_context [B*T, D] to the gradients of q, k and v, and overwrites d_q, d_k and d_v with them. These have the
  /// shapes of q, k and v, and may be columns of one matrix, as q, k and v may be.
  void backward(const Pass& pass, const Buffer<Scalar>& d_context, MatrixView<Scalar> d_q, MatrixView<Scalar> d_k,
                MatrixView<Scalar> d_v);

  /// The weights after the softmax, before dropout. [B*H*T, S]
  const Buffer<Scalar>& weights() const { return weights_; }

 private:
  // The rows of sentence b and the columns of head h, where i = b * H + h: [T, d_head] of queries or the context,
  // [S, d_head] of keys or values.
  template <class Number>
  MatrixView<Number> head_block(MatrixView<Number> matrix, Index i) const {
    const Index length = matrix.rows() / B_;
    return matrix.block(i / heads_ * length, i % heads_ * d_head_, length, d_head_);
  }
  template <class Number>
  MatrixView<Number> weight_block(MatrixView<Number> weights, Index i) const {  // [T, S]
    return weights.middle_rows(i * T_, T_);
  }

  void backward_context(const Pass& pass, const Buffer<Scalar>& d_context, MatrixView<Scalar> d_v);
  void backward_scores(const Pass& pass, MatrixView<Scalar> d_q, MatrixView<Scalar> d_k);

  std::string name_;
  Index heads_, d_head_;
  bool scaled_;
  Index B_ = 0, T_ = 0, S_ = 0;
  MaskedSoftmax<Scalar> softmax_;
  Dropout<Scalar> dropout_;
  MatrixView<const Scalar> q_, k_, v_;            // forward's inputs
  Buffer<Scalar> weights_;                        // [B*H*T, S]
  const Buffer<Scalar>* used_weights_ = nullptr;  // [B*H*T, S] after dropout
  Buffer<Scalar> context_;                        // [B*T, D]
  Buffer<Scalar> d_weights_;                      // [B*H*T, S]
};

}  // namespace glassformer
