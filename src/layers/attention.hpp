#pragma once

#include <concepts>
#include <span>
#include <string>

#include "glassformer/layers/encoded_sources.hpp"
#include "glassformer/layers/key_value_cache.hpp"
#include "glassformer/layers/linear.hpp"
#include "glassformer/layers/memory_gradients.hpp"
#include "glassformer/layers/scaled_dot_product_attention.hpp"

/// Multi-head attention (Vaswani et al. 2017, section 3.2.2), in the two forms that the transformer uses. They differ
/// only in where keys and values come from.
///
/// Both have two ways forward. Teacher forcing knows all tokens, so it computes all queries at once. A search knows a
/// token only after it has the logits of the previous one, so each step computes one query for each running hypothesis
/// (a translation so far) and caches keys and values. With a look-ahead mask, both give the same up to rounding.
///
/// B sentences, T queries, S keys, N = B * T rows, M = B * S rows of keys and values, R running hypotheses, D = model
/// width.
namespace glassformer {

/// The linear maps to query, key and value, each from D to D. Their weights are adjacent in the arena, and so are their
/// biases, so two or three maps can be applied as one.
template <std::floating_point Scalar>
struct Projections {
  MatrixParameter<Scalar> weight;  // [3D, D]: query, key, value
  VectorParameter<Scalar> bias;    // [3D]

  /// Takes the next six tensors in the arena.
  Projections(const Part<Scalar>& part, Index width);
  /// The map to `count` of the 3D outputs, starting at output `first`.
  Linear<Scalar> map(const Part<Scalar>& part, Index first, Index count) const {
    return {part.name(), weight.middle_rows(first, count), bias.middle(first, count)};
  }
};

/// Queries, keys and values all come from x:   y = attention(x Wq^T, x Wk^T, x Wv^T) Wo^T, biases omitted
template <std::floating_point Scalar>
class SelfAttention {
 public:
  const Projections<Scalar> projections;
  Linear<Scalar> qkv_proj;  // D to 3D: q, then k, then v
  Linear<Scalar> out_proj;  // D to D
  ScaledDotProductAttention<Scalar> attention;

  SelfAttention(const Part<Scalar>& part, const AttentionSettings& settings);

  /// Maps x [N, D] to y [N, D]. The mask blocks keys, which also come from the rows of x.
  Buffer<Scalar>& forward(const Pass& pass, const Buffer<Scalar>& x, const Mask& mask);
  Buffer<Scalar>& forward(const Pass& pass, Buffer<Scalar>&& x, const Mask& mask) = delete;  // backward reads x
  /// Maps d_y [N, D] to d_x [N, D].
  Buffer<Scalar>& backward(const Pass& pass, const Buffer<Scalar>& d_y);

  /// One step of a search: maps x [R, D] to y [R, D]. Row r attends to its own past and to itself. Adds the keys and
  /// values of x to the cache.
  Buffer<Scalar>& step(const Pass& pass, const Buffer<Scalar>& x, KeyValueCache<Scalar>& past);

 private:
  std::string name_;
  Buffer<Scalar> context_;  // [R, D] of all rows, in a step
  Buffer<Scalar> d_qkv_;    // [N, 3D]
};

/// Queries come from the decoder, keys and values from the encoder's output ("memory"):
///
///   y = attention(x Wq^T, memory Wk^T, memory Wv^T) Wo^T, biases omitted
template <std::floating_point Scalar>
class CrossAttention {
 public:
  const Projections<Scalar> projections;
  Linear<Scalar> q_proj;    // D to D
  Linear<Scalar> kv_proj;   // D to 2D: k, then v
  Linear<Scalar> out_proj;  // D to D
  ScaledDotProductAttention<Scalar> attention;

  CrossAttention(const Part<Scalar>& part, const AttentionSettings& settings);

  /// Maps x [N, D] and memory [M, D] to y [N, D]. The mask blocks keys, which come from the memory's rows.
  Buffer<Scalar>& forward(const Pass& pass, const Buffer<Scalar>& x, const Buffer<Scalar>& memory, const Mask& mask);
  Buffer<Scalar>& forward(const Pass&, Buffer<Scalar>&&, const Buffer<Scalar>&, const Mask&) = delete;
  /// Maps d_y [N, D] to d_x [N, D] and d_memory [M, D].
  MemoryGradients<Scalar> backward(const Pass& pass, const Buffer<Scalar>& d_y);

  /// Projects the memory [M, D] to keys and values for all steps of a search, which are valid until project() or
  /// forward() is called again. masks [B] are as in EncodedSources.
  EncodedSources<Scalar> project(const Pass& pass, const Buffer<Scalar>& memory, std::span<const Mask> masks);
  /// One step of a search: maps x [R, D] to y [R, D]. Row r attends to sentence sentences[r]. Rows of the same sentence
  /// must be adjacent.
  Buffer<Scalar>& step(const Pass& pass, const Buffer<Scalar>& x, const EncodedSources<Scalar>& sources,
                       std::span<const Index> sentences);

 private:
  std::string name_;
  Index M_ = 0;                // rows of the memory in forward
  Buffer<Scalar> context_;     // [R, D] of all rows, in a step
  Buffer<Scalar> d_q_, d_kv_;  // [N, D] and [M, 2D]
};

}  // namespace glassformer
