#include "glassformer/layers/scaled_dot_product_attention.hpp"

#include <cassert>
#include <cmath>

#include "glassformer/numerics/gemm.hpp"

namespace glassformer {

template <std::floating_point Scalar>
ScaledDotProductAttention<Scalar>::ScaledDotProductAttention(const Part<Scalar>& part,
                                                             const AttentionSettings& settings)
    : name_(part.name()),
      heads_(settings.heads),
      d_head_(settings.width / settings.heads),
      scaled_(settings.scaled),
      softmax_(part.name()),
      dropout_(part.at("dropout").with({{"N", "B*H*" + part.letter("T")}, {"D", part.letter("S")}}), settings.dropout,
               settings.heads) {
  assert(settings.width % settings.heads == 0);
}

template <std::floating_point Scalar>
Buffer<Scalar>& ScaledDotProductAttention<Scalar>::forward(const Pass& pass, MatrixView<const Scalar> q,
                                                           MatrixView<const Scalar> k, MatrixView<const Scalar> v,
                                                           const Mask& mask) {
  q_ = q;
  k_ = k;
  v_ = v;
  S_ = mask.keys();
  B_ = k.rows() / S_;
  T_ = q.rows() / B_;
  assert(q.rows() == B_ * T_ && k.rows() == B_ * S_ && v.rows() == k.rows() && mask.fits(B_, T_));

  weights_.resize(B_ * heads_ * T_, S_);  // holds the products, then the scores, then the weights
  for (Index i = 0; i < B_ * heads_; ++i) {
    multiply_transposed_right(head_block(q, i), head_block(k, i), weight_block(weights_.view(), i), Result::overwrite);
  }
  pass.record(name_, "products [B*H*T, S] = {q} {k}^T of each head", weights_, q, k);

  if (scaled_) {
    weights_.eigen() *= 1 / std::sqrt(static_cast<Scalar>(d_head_));
    pass.record(name_, "scores [B*H*T, S] = {products} / sqrt(d_head)", weights_, weights_);
  }

  softmax_.forward_in_place(pass, weights_, mask);
  const Buffer<Scalar>& used = dropout_.forward(pass, weights_);
  used_weights_ = &used;

  context_.resize(q.rows(), q.cols());
  for (Index i = 0; i < B_ * heads_; ++i) {
    multiply_visible(weight_block(used.view(), i), head_block(v, i), head_block(context_.view(), i));
  }
  pass.record(name_, "context [N, D] = {weights} {v} of each head", context_, used, v);
  return context_;
}

template <std::floating_point Scalar>
void ScaledDotProductAttention<Scalar>::backward(const Pass& pass, const Buffer<Scalar>& d_context,
                                                 MatrixView<Scalar> d_q, MatrixView<Scalar> d_k,
                                                 MatrixView<Scalar> d_v) {
  assert(d_q.rows() == q_.rows() && d_k.rows() == k_.rows() && d_v.rows() == v_.rows());
  backward_context(pass, d_context, d_v);
  backward_scores(pass, d_q, d_k);
}

/// Maps d_context to d_v, and leaves d_scores in d_weights_.
template <std::floating_point Scalar>
void ScaledDotProductAttention<Scalar>::backward_context(const Pass& pass, const Buffer<Scalar>& d_context,
                                                         MatrixView<Scalar> d_v) {
  // context = w V of each head, where w are the weights after dropout:  context_tj = sum over s of w_ts v_sj.  A value
  // v_sj occurs in context_tj for every query t, and a weight w_ts for every column j:
  //   d_v_sj = sum over t of w_ts d_context_tj      d_V = w^T d_context      [S, d_head]
  //   d_w_ts = sum over j of d_context_tj v_sj      d_w = d_context V^T      [T, S]
  // d_weights_ first holds d_w. Dropout's backward turns it into the gradient of the weights before dropout.
  const Buffer<Scalar>& used = *used_weights_;
  d_weights_.resize_like(weights_);
  for (Index i = 0; i < B_ * heads_; ++i) {
    const auto d_c = head_block(d_context.view(), i);                                                    // [T, d_head]
    multiply_transposed_left(weight_block(used.view(), i), d_c, head_block(d_v, i), Result::overwrite);  // [S, d_head]
    multiply_transposed_right(d_c, head_block(v_, i), weight_block(d_weights_.view(), i), Result::overwrite);  // [T, S]
  }
  pass.record(name_, "d_v [M, D] = {weights}^T {d_context} of each head", d_v, used, d_context);
  pass.record(name_, "d_weights [B*H*T, S] = {d_context} {v}^T of each head", d_weights_, d_context, v_);

  // weights = softmax(scores), then dropout
  dropout_.backward_in_place(pass, d_weights_);
  softmax_.backward_in_place(pass, weights_, d_weights_);
}

/// Maps d_scores, which d_weights_ now holds, to d_q and d_k.
template <std::floating_point Scalar>
void ScaledDotProductAttention<Scalar>::backward_scores(const Pass& pass, MatrixView<Scalar> d_q,
                                                        MatrixView<Scalar> d_k) {
  // scores = products / sqrt(d_head)
  Buffer<Scalar>& d_scores = d_weights_;
  Buffer<Scalar>& d_products = d_weights_;
  if (scaled_) {
    d_scores.eigen() *= 1 / std::sqrt(static_cast<Scalar>(d_head_));
    pass.record(name_, "d_products [B*H*T, S] = {d_scores} / sqrt(d_head)", d_products, d_scores);
  }

  // products = Q K^T.  product_ts = q_t . k_s has the derivative k_s with respect to q_t, and q_t with respect to k_s.
  // Each query is in products with all keys, and each key in products with all queries:
  //   d_q_t = sum over s of d_product_ts k_s        d_Q = d_products K          [T, d_head]
  //   d_k_s = sum over t of d_product_ts q_t        d_K = d_products^T Q        [S, d_head]
  // (multiply_visible skips blocked keys, which may be NaN.)
  for (Index i = 0; i < B_ * heads_; ++i) {
    const auto d_p = weight_block(d_products.view(), i);                                      // [T, S]
    multiply_visible(d_p, head_block(k_, i), head_block(d_q, i));                             // [T, d_head]
    multiply_transposed_left(d_p, head_block(q_, i), head_block(d_k, i), Result::overwrite);  // [S, d_head]
  }
  pass.record(name_, "d_q [N, D] = {d_products} {k} of each head", d_q, d_products, k_);
  pass.record(name_, "d_k [M, D] = {d_products}^T {q} of each head", d_k, d_products, q_);
}

template class ScaledDotProductAttention<float>;
template class ScaledDotProductAttention<double>;

}  // namespace glassformer
