#pragma once

#include <concepts>

#include "layers/linear.hpp"
#include "layers/scaled_dot_product_attention.hpp"

/// Multi-head attention (Vaswani et al. 2017, section 3.2.2), in the two ways in which the transformer uses it.
/// They differ in one thing only: where the keys and values come from.
///
/// B sentences, T queries, S keys, N = B * T rows, M = B * S rows of the encoder, D = model width.
namespace glassformer {

/// Four linear maps. Those to query, key and value lie side by side, so that they can be applied as one.
template <std::floating_point Scalar>
struct AttentionParameters {
  typename Linear<Scalar>::Parameters query_key_value;  // D to 3D: the outputs are q, then k, then v
  typename Linear<Scalar>::Parameters output;           // D to D

  AttentionParameters(ArenaCursor<Scalar>& cursor, const std::string& name, Index width);

  /// The map to the queries alone, D to D; to keys and values, D to 2D. Views of the same memory.
  typename Linear<Scalar>::Parameters query() const { return query_key_value.outputs(0, width()); }
  typename Linear<Scalar>::Parameters key_value() const { return query_key_value.outputs(width(), 2 * width()); }
  Index width() const { return output.weight.rows(); }
};

/// How attention is done, besides its parameters.
struct AttentionSettings {
  Index heads = 1;
  double dropout = 0;  ///< of attention weights
};

/// Queries, keys and values all come from x:   y = attention(x Wq, x Wk, x Wv) Wo
template <std::floating_point Scalar>
struct SelfAttention {
  using Parameters = AttentionParameters<Scalar>;
  /// What backward must remember of forward, and room for its results.
  struct Cache {
    Buffer<Scalar> query_key_value;                                // [N, 3D]
    typename ScaledDotProductAttention<Scalar>::Cache attention;
    Buffer<Scalar> context;                                        // [N, D]
    Buffer<Scalar> output;                                         // [N, D]
    Buffer<Scalar> d_context, d_query_key_value, d_input;          // room for backward
  };

  /// x [N, D] gives cache.output [N, D].
  static void forward(const Parameters& p, const AttentionSettings& settings, Index sentences,
                      ConstMatrixRef<Scalar> x, const Mask& mask, const Pass& pass, Site site, Cache& cache,
                      const Recorder& recorder = {});
  /// d_y [N, D] gives cache.d_input [N, D].
  static void backward(const Parameters& p, const AttentionSettings& settings, Index sentences,
                       ConstMatrixRef<Scalar> x, Cache& cache, ConstMatrixRef<Scalar> d_y, Parameters& grad,
                       const Recorder& recorder = {});
};

/// Queries come from the decoder, keys and values from what the encoder gave ("memory"):
///
///   y = attention(x Wq, memory Wk, memory Wv) Wo
template <std::floating_point Scalar>
struct CrossAttention {
  using Parameters = AttentionParameters<Scalar>;
  /// What backward must remember of forward, and room for its results.
  struct Cache {
    Buffer<Scalar> query;                                          // [N, D]
    Buffer<Scalar> key_value;                                      // [M, 2D]
    typename ScaledDotProductAttention<Scalar>::Cache attention;
    Buffer<Scalar> context;                                        // [N, D]
    Buffer<Scalar> output;                                         // [N, D]
    Buffer<Scalar> d_context, d_query, d_key_value, d_input;       // room for backward
    Buffer<Scalar> d_memory;                                       // [M, D] what goes back into the encoder from here
  };

  /// x [N, D] and memory [M, D] give cache.output [N, D].
  static void forward(const Parameters& p, const AttentionSettings& settings, Index sentences,
                      ConstMatrixRef<Scalar> x, ConstMatrixRef<Scalar> memory, const Mask& mask, const Pass& pass,
                      Site site, Cache& cache, const Recorder& recorder = {});
  /// d_y [N, D] gives cache.d_input [N, D] and cache.d_memory [M, D].
  static void backward(const Parameters& p, const AttentionSettings& settings, Index sentences,
                       ConstMatrixRef<Scalar> x, ConstMatrixRef<Scalar> memory, Cache& cache,
                       ConstMatrixRef<Scalar> d_y, Parameters& grad, const Recorder& recorder = {});
};

}  // namespace glassformer
