#include "layers/scaled_dot_product_attention.hpp"

#include <cassert>
#include <cmath>

#include "layers/softmax.hpp"
#include "numerics/gemm.hpp"

namespace glassformer {
namespace {

/// product = weights * values, where a weight of exactly 0 keeps its value out even if that is infinite or NaN
/// (0 * NaN would be NaN). weights [T, S], values [S, d_head], product [T, d_head].
template <class Scalar>
void visible_product(ConstMatrixRef<Scalar> weights, ConstMatrixRef<Scalar> values, MatrixRef<Scalar> product) {
  multiply<Scalar>(weights, values, product, Result::overwrite);
  // x - x is 0 unless x is infinite or NaN.  Where all values are finite, which is almost always, so is the product.
  if ((product.array() - product.array()).sum() == 0) return;
  const Matrix<Scalar> finite = values.array().isFinite().select(values, Scalar{0});
  multiply<Scalar>(weights, finite, product, Result::overwrite);
  for (Index j = 0; j < values.rows(); ++j) {
    if (values.row(j).allFinite()) continue;
    for (Index i = 0; i < weights.rows(); ++i) {
      if (weights(i, j) != 0) product.row(i) += weights(i, j) * (values.row(j) - finite.row(j));
    }
  }
}

}  // namespace

template <std::floating_point Scalar>
void ScaledDotProductAttention<Scalar>::forward(Index sentences, Index heads, ConstMatrixRef<Scalar> q,
                                                ConstMatrixRef<Scalar> k, ConstMatrixRef<Scalar> v, const Mask& mask,
                                                double dropout, const Pass& pass, Site site, Cache& cache,
                                                MatrixRef<Scalar> context, const Recorder& recorder) {
  const Index T = q.rows() / sentences, S = k.rows() / sentences, d_head = q.cols() / heads;
  assert(q.rows() == sentences * T && k.rows() == sentences * S && v.rows() == k.rows() && mask.keys() == S);
  assert((mask.sentences == sentences || mask.sentences == 1) && (mask.queries == T || mask.queries == 1));

  cache.weights.resize(sentences * heads * T, S);
  for (Index b = 0; b < sentences; ++b) {
    for (Index h = 0; h < heads; ++h) {
      multiply_transposed_right<Scalar>(q.block(b * T, h * d_head, T, d_head), k.block(b * S, h * d_head, S, d_head),
                                        cache.weights.middleRows((b * heads + h) * T, T), Result::overwrite);
    }
  }
  recorder.record("products [B*H*T, S] = {q} {k}^T of each head", cache.weights, q, k);

  cache.weights *= 1 / std::sqrt(static_cast<Scalar>(d_head));
  recorder.record("scores [B*H*T, S] = {products} / sqrt(d_head)", cache.weights, cache.weights);

  for (Index b = 0; b < sentences; ++b) {
    for (Index h = 0; h < heads; ++h) {
      for (Index t = 0; t < T; ++t) {
        MaskedSoftmax<Scalar>::forward_row(mask.blocked.row(mask.row(b, t)).data(), S,
                                           cache.weights.row((b * heads + h) * T + t).data());
      }
    }
  }
  recorder.record("weights [B*H*T, S] = softmax of each row of {scores}, 0 where {mask} is 1", cache.weights,
                  cache.weights, mask.blocked);

  cache.dropout.active = pass.training && dropout > 0;
  if (cache.dropout.active) {
    cache.dropped_weights.resize_like(cache.weights);
    Dropout<Scalar>::forward(dropout, pass, site, heads, cache.weights, cache.dropped_weights, cache.dropout,
                             recorder.at("dropout"));
  }

  for (Index b = 0; b < sentences; ++b) {
    for (Index h = 0; h < heads; ++h) {
      visible_product<Scalar>(cache.used_weights().middleRows((b * heads + h) * T, T),
                              v.block(b * S, h * d_head, S, d_head),
                              context.block(b * T, h * d_head, T, d_head));
    }
  }
  recorder.record("context [N, D] = {weights} {v} of each head", context, cache.used_weights(), v);
}

template <std::floating_point Scalar>
void ScaledDotProductAttention<Scalar>::backward(Index sentences, Index heads, ConstMatrixRef<Scalar> q,
                                                 ConstMatrixRef<Scalar> k, ConstMatrixRef<Scalar> v, Cache& cache,
                                                 ConstMatrixRef<Scalar> d_context, MatrixRef<Scalar> d_q,
                                                 MatrixRef<Scalar> d_k, MatrixRef<Scalar> d_v,
                                                 const Recorder& recorder) {
  const Index T = q.rows() / sentences, S = k.rows() / sentences, d_head = q.cols() / heads;

  // context = dropout(weights) V
  cache.d_weights.resize_like(cache.weights);
  for (Index b = 0; b < sentences; ++b) {
    for (Index h = 0; h < heads; ++h) {
      const auto d_c = d_context.block(b * T, h * d_head, T, d_head);                                // [T, d_head]
      const Index first = (b * heads + h) * T;
      multiply_transposed_left<Scalar>(cache.used_weights().middleRows(first, T), d_c,
                                       d_v.block(b * S, h * d_head, S, d_head), Result::overwrite);  // [S, d_head]
      multiply_transposed_right<Scalar>(d_c, v.block(b * S, h * d_head, S, d_head),
                                        cache.d_weights.middleRows(first, T), Result::overwrite);    // [T, S]
    }
  }
  recorder.record("d_v [M, D] = {weights}^T {d_context} of each head", d_v, cache.used_weights(), d_context);
  recorder.record("d_weights [B*H*T, S] = {d_context} {v}^T of each head", cache.d_weights, d_context, v);
  Dropout<Scalar>::backward(cache.dropout, cache.d_weights, recorder.at("dropout"));

  // weights = masked softmax of scores
  MaskedSoftmax<Scalar>::backward(cache.weights, cache.d_weights);
  Buffer<Scalar>& d_scores = cache.d_weights;
  recorder.record("d_scores [B*H*T, S] = {weights} * ({d_weights} - sum of weights * d_weights over the row)", d_scores,
                  cache.weights, d_scores);

  // scores = products / sqrt(d_head)
  d_scores *= 1 / std::sqrt(static_cast<Scalar>(d_head));
  Buffer<Scalar>& d_products = d_scores;
  recorder.record("d_products [B*H*T, S] = {d_scores} / sqrt(d_head)", d_products, d_products);

  // products = Q K^T
  for (Index b = 0; b < sentences; ++b) {
    for (Index h = 0; h < heads; ++h) {
      const auto d_p = d_products.middleRows((b * heads + h) * T, T);                                // [T, S]
      visible_product<Scalar>(d_p, k.block(b * S, h * d_head, S, d_head),
                              d_q.block(b * T, h * d_head, T, d_head));
      multiply_transposed_left<Scalar>(d_p, q.block(b * T, h * d_head, T, d_head),
                                       d_k.block(b * S, h * d_head, S, d_head), Result::overwrite);  // [S, d_head]
    }
  }
  recorder.record("d_q [N, D] = {d_products} {k} of each head", d_q, d_products, k);
  recorder.record("d_k [M, D] = {d_products}^T {q} of each head", d_k, d_products, q);
}

template struct ScaledDotProductAttention<float>;
template struct ScaledDotProductAttention<double>;

}  // namespace glassformer
