#pragma once

#include <utility>
#include <vector>

#include "glassformer/layers/scaled_dot_product_attention.hpp"
#include "single_layer.hpp"

/// An example of scaled dot-product attention with random queries, keys and values, and masks for it.
namespace glassformer::example {

/// B sentences, T queries, S keys, H heads, D columns.
struct AttentionShape {
  Index B, T, S, H, D;
};

/// The queries, keys, values and all gradients of one attention layer.
template <class Scalar>
struct AttentionExample {
  AttentionShape shape;
  Mask mask;
  double dropout;
  std::vector<Index> sentences;
  SingleLayer<ScaledDotProductAttention<Scalar>, Scalar> layer;
  Buffer<Scalar> q, k, v, d_context, context, d_q, d_k, d_v;

  AttentionExample(RandomValues& random, const AttentionShape& s, Mask mask_, double dropout_, bool scaled = true)
      : shape(s),
        mask(std::move(mask_)),
        dropout(dropout_),
        layer(random, AttentionSettings{s.D, s.H, dropout_, scaled}) {
    for (Index b = 0; b < s.B; ++b) {
      sentences.push_back(10 + b);
    }
    for (auto [matrix, rows] : {std::pair{&q, s.B * s.T}, {&k, s.B * s.S}, {&v, s.B * s.S}, {&d_context, s.B * s.T}}) {
      *matrix = random.matrix<Scalar>(rows, s.D);
    }
  }
  Pass pass() const { return {.training = true, .seed = 1, .update = 2, .sentences = sentences}; }
  void forward() { context = layer->forward(pass(), q, k, v, mask); }
  void backward() {
    d_q.resize_like(q);
    d_k.resize_like(k);
    d_v.resize_like(v);
    layer->backward(pass(), d_context, d_q, d_k, d_v);
  }
  void forward_backward() {
    forward();
    backward();
  }
  /// Key j of sentence b.
  RowView<Scalar> key(Index b, Index j) { return k.row(b * shape.S + j); }
  RowView<Scalar> value(Index b, Index j) { return v.row(b * shape.S + j); }
};

/// A separate mask row for every query of every sentence. Query 0 sees nothing; the others see about half of the keys.
inline Mask random_mask(RandomValues& random, const AttentionShape& shape) {
  Mask mask = all_visible(shape.B, shape.T, shape.S);
  for (Index n = 0; n < mask.blocked.rows(); ++n) {
    for (Index j = 0; j < shape.S; ++j) {
      mask.blocked(n, j) = n % shape.T == 0 || random.index(2) == 0;
    }
  }
  return mask;
}

/// Padding: about half of the keys are hidden from every query of their sentence.
inline Mask random_padding(RandomValues& random, const AttentionShape& shape) {
  Mask mask = all_visible(shape.B, 1, shape.S);
  for (Index b = 0; b < shape.B; ++b) {
    for (Index j = 0; j < shape.S; ++j) {
      mask.blocked(b, j) = random.index(2) == 0;
    }
  }
  return mask;
}

}  // namespace glassformer::example
