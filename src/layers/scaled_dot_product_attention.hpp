#pragma once

#include <concepts>

#include "layers/dropout.hpp"
#include "layers/masks.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// Scaled dot-product attention of all heads (Vaswani et al. 2017, sections 3.2.1 and 3.2.2):
///
///   scores  = Q K^T / sqrt(d_head)                one [T, S] for each head of each sentence; products = Q K^T
///   weights = masked softmax of scores            0 exactly where the mask blocks
///   context = dropout(weights) V
///
/// The scale is the root of one head's width, d_head = D / H, not of the model's. Head h owns the columns
/// h * d_head .. (h + 1) * d_head - 1 of Q, K, V and the context.
///
/// What a blocked key or value holds is never read into a result: it may be anything, infinity and NaN included.
///
/// B sentences, T queries and S keys each, H heads, D = model width.
template <std::floating_point Scalar>
struct ScaledDotProductAttention {
  /// What backward must remember of forward, and room for its results.
  struct Cache {
    Buffer<Scalar> weights;                   // [B*H*T, S] after the softmax
    Buffer<Scalar> dropped_weights;           // [B*H*T, S] after dropout; empty where nothing is dropped
    typename Dropout<Scalar>::Cache dropout;
    Buffer<Scalar> d_weights;                 // [B*H*T, S] room for backward

    /// The weights that context was made of.
    Buffer<Scalar>& used_weights() { return dropout.active ? dropped_weights : weights; }
    const Buffer<Scalar>& used_weights() const { return dropout.active ? dropped_weights : weights; }
  };

  /// q [B*T, D], k and v [B*S, D] give context [B*T, D]. The mask is of B sentences (or 1), T queries (or 1), S keys.
  static void forward(Index sentences, Index heads, ConstMatrixRef<Scalar> q, ConstMatrixRef<Scalar> k,
                      ConstMatrixRef<Scalar> v, const Mask& mask, double dropout, const Pass& pass, Site site,
                      Cache& cache, MatrixRef<Scalar> context, const Recorder& recorder = {});
  /// d_context [B*T, D] gives d_q, d_k, d_v in the shapes of q, k, v.
  static void backward(Index sentences, Index heads, ConstMatrixRef<Scalar> q, ConstMatrixRef<Scalar> k,
                       ConstMatrixRef<Scalar> v, Cache& cache, ConstMatrixRef<Scalar> d_context,
                       MatrixRef<Scalar> d_q, MatrixRef<Scalar> d_k, MatrixRef<Scalar> d_v,
                       const Recorder& recorder = {});
};

}  // namespace glassformer
