#include "layers/attention.hpp"

namespace glassformer {
namespace {

/// Weights side by side, then biases side by side: each kind is one matrix for whoever wants it so.
template <class Scalar>
typename Linear<Scalar>::Parameters take_query_key_value(ArenaCursor<Scalar>& cursor, Index width) {
  MatrixView<Scalar> weight = cursor.matrix("q_proj.weight", width, width);
  cursor.matrix("k_proj.weight", width, width);
  cursor.matrix("v_proj.weight", width, width);
  RowVectorView<Scalar> bias = cursor.vector("q_proj.bias", width);
  cursor.vector("k_proj.bias", width);
  cursor.vector("v_proj.bias", width);
  return {{weight.data(), 3 * width, width}, {bias.data(), 3 * width}};
}

}  // namespace

template <std::floating_point Scalar>
AttentionParameters<Scalar>::AttentionParameters(ArenaCursor<Scalar>& cursor, const std::string& name, Index width)
    : query_key_value([&] {
        const typename ArenaCursor<Scalar>::Scope scope(cursor, name + ".");
        return take_query_key_value(cursor, width);
      }()),
      output(cursor, name + ".out_proj", width, width) {}

template <std::floating_point Scalar>
void SelfAttention<Scalar>::forward(const Parameters& p, const AttentionSettings& settings, Index sentences,
                                    ConstMatrixRef<Scalar> x, const Mask& mask, const Pass& pass, Site site,
                                    Cache& cache) {
  const Index D = p.width();
  Linear<Scalar>::forward(p.query_key_value, x, cache.query_key_value);                            // [N, 3D]
  cache.context.resize(x.rows(), D);
  ScaledDotProductAttention<Scalar>::forward(
      sentences, settings.heads, cache.query_key_value.leftCols(D), cache.query_key_value.middleCols(D, D),
      cache.query_key_value.rightCols(D), mask, settings.dropout, pass, site, cache.attention, cache.context);
  Linear<Scalar>::forward(p.output, cache.context, cache.output);                                  // [N, D]
}

template <std::floating_point Scalar>
void SelfAttention<Scalar>::backward(const Parameters& p, const AttentionSettings& settings, Index sentences,
                                     ConstMatrixRef<Scalar> x, Cache& cache, ConstMatrixRef<Scalar> d_y,
                                     Parameters& grad) {
  const Index D = p.width();
  // output = context Wo
  Linear<Scalar>::backward(p.output, cache.context, d_y, grad.output, cache.d_context);
  // context = attention(q, k, v)
  cache.d_query_key_value.resize_like(cache.query_key_value);
  ScaledDotProductAttention<Scalar>::backward(
      sentences, settings.heads, cache.query_key_value.leftCols(D), cache.query_key_value.middleCols(D, D),
      cache.query_key_value.rightCols(D), cache.attention, cache.d_context, cache.d_query_key_value.leftCols(D),
      cache.d_query_key_value.middleCols(D, D), cache.d_query_key_value.rightCols(D));
  // q, k, v = x Wq, x Wk, x Wv.  x feeds all three; as they are one map, its three gradients are already summed.
  Linear<Scalar>::backward(p.query_key_value, x, cache.d_query_key_value, grad.query_key_value, cache.d_input);
}

template <std::floating_point Scalar>
void CrossAttention<Scalar>::forward(const Parameters& p, const AttentionSettings& settings, Index sentences,
                                     ConstMatrixRef<Scalar> x, ConstMatrixRef<Scalar> memory, const Mask& mask,
                                     const Pass& pass, Site site, Cache& cache) {
  const Index D = p.width();
  Linear<Scalar>::forward(p.query(), x, cache.query);                                              // [N, D]
  Linear<Scalar>::forward(p.key_value(), memory, cache.key_value);                                 // [M, 2D]
  cache.context.resize(x.rows(), D);
  ScaledDotProductAttention<Scalar>::forward(sentences, settings.heads, cache.query, cache.key_value.leftCols(D),
                                             cache.key_value.rightCols(D), mask, settings.dropout, pass, site,
                                             cache.attention, cache.context);
  Linear<Scalar>::forward(p.output, cache.context, cache.output);                                  // [N, D]
}

template <std::floating_point Scalar>
void CrossAttention<Scalar>::backward(const Parameters& p, const AttentionSettings& settings, Index sentences,
                                      ConstMatrixRef<Scalar> x, ConstMatrixRef<Scalar> memory, Cache& cache,
                                      ConstMatrixRef<Scalar> d_y, Parameters& grad) {
  const Index D = p.width();
  // output = context Wo
  Linear<Scalar>::backward(p.output, cache.context, d_y, grad.output, cache.d_context);
  // context = attention(q, k, v)
  cache.d_query.resize_like(cache.query);
  cache.d_key_value.resize_like(cache.key_value);
  ScaledDotProductAttention<Scalar>::backward(
      sentences, settings.heads, cache.query, cache.key_value.leftCols(D), cache.key_value.rightCols(D),
      cache.attention, cache.d_context, cache.d_query, cache.d_key_value.leftCols(D), cache.d_key_value.rightCols(D));
  // k, v = memory Wk, memory Wv: the way back into the encoder
  typename Linear<Scalar>::Parameters grad_key_value = grad.key_value();
  Linear<Scalar>::backward(p.key_value(), memory, cache.d_key_value, grad_key_value, cache.d_memory);
  // q = x Wq: the way back down the decoder
  typename Linear<Scalar>::Parameters grad_query = grad.query();
  Linear<Scalar>::backward(p.query(), x, cache.d_query, grad_query, cache.d_input);
}

template struct AttentionParameters<float>;
template struct AttentionParameters<double>;
template struct SelfAttention<float>;
template struct SelfAttention<double>;
template struct CrossAttention<float>;
template struct CrossAttention<double>;

}  // namespace glassformer
