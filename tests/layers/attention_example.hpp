#pragma once

#include <vector>

#include "layers/scaled_dot_product_attention.hpp"
#include "random_values.hpp"

/// One scaled dot-product attention with random queries, keys and values, and masks for it.
namespace glassformer::example {

/// B sentences, T queries, S keys, H heads, D columns.
struct AttentionShape {
  Index B, T, S, H, D;
};

/// Queries, keys, values and all gradients of one attention.
template <class Scalar>
struct AttentionExample {
  AttentionShape shape;
  Mask mask;
  double dropout;
  std::vector<Index> sentences;
  Buffer<Scalar> q, k, v, d_context, context, d_q, d_k, d_v;
  typename ScaledDotProductAttention<Scalar>::Cache cache;

  AttentionExample(RandomValues& random, const AttentionShape& s, const Mask& mask_, double dropout_)
      : shape(s), mask(mask_), dropout(dropout_), context(s.B * s.T, s.D), d_q(s.B * s.T, s.D), d_k(s.B * s.S, s.D),
        d_v(s.B * s.S, s.D) {
    for (Index b = 0; b < s.B; ++b) sentences.push_back(10 + b);
    for (auto [matrix, rows] : {std::pair{&q, s.B * s.T}, {&k, s.B * s.S}, {&v, s.B * s.S}, {&d_context, s.B * s.T}}) {
      matrix->resize(rows, s.D);
      random.fill(*matrix);
    }
  }
  void forward() {
    const Pass pass{.training = true, .seed = 1, .update = 2, .sentences = sentences};
    ScaledDotProductAttention<Scalar>::forward(shape.B, shape.H, q, k, v, mask, dropout, pass, 3, cache, context);
  }
  void backward() {
    ScaledDotProductAttention<Scalar>::backward(shape.B, shape.H, q, k, v, cache, d_context, d_q, d_k, d_v);
  }
  void forward_backward() {
    forward();
    backward();
  }
  /// What key j of sentence b holds.
  auto key(Index b, Index j) { return k.row(b * shape.S + j); }
  auto value(Index b, Index j) { return v.row(b * shape.S + j); }
};

/// A mask of its own for every query of every sentence. Query 0 sees nothing; of the others, about half is hidden.
inline Mask random_mask(RandomValues& random, const AttentionShape& shape) {
  Mask mask{shape.B, shape.T, Matrix<std::uint8_t>(shape.B * shape.T, shape.S)};
  for (Index n = 0; n < mask.blocked.rows(); ++n) {
    for (Index j = 0; j < shape.S; ++j) mask.blocked(n, j) = n % shape.T == 0 || random.index(2) == 0;
  }
  return mask;
}

/// Padding: about half of the keys are hidden from every query of their sentence.
inline Mask random_padding(RandomValues& random, const AttentionShape& shape) {
  Mask mask{shape.B, 1, Matrix<std::uint8_t>(shape.B, shape.S)};
  for (Index b = 0; b < shape.B; ++b) {
    for (Index j = 0; j < shape.S; ++j) mask.blocked(b, j) = random.index(2) == 0;
  }
  return mask;
}

}  // namespace glassformer::example
