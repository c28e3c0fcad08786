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
                                    Cache& cache, const Recorder& recorder) {
  const Index D = p.width();
  Linear<Scalar>::forward(p.query_key_value, x, cache.query_key_value, recorder.at("qkv_proj"));   // [N, 3D]
  const auto q = cache.query_key_value.leftCols(D);
  const auto k = cache.query_key_value.middleCols(D, D);
  const auto v = cache.query_key_value.rightCols(D);
  recorder.record("q [N, D] = the first third of {query_key_value}", q, cache.query_key_value);
  recorder.record("k [N, D] = the second third of {query_key_value}", k, cache.query_key_value);
  recorder.record("v [N, D] = the last third of {query_key_value}", v, cache.query_key_value);
  cache.context.resize(x.rows(), D);
  ScaledDotProductAttention<Scalar>::forward(sentences, settings.heads, q, k, v, mask, settings.dropout, pass, site,
                                             cache.attention, cache.context, recorder);
  Linear<Scalar>::forward(p.output, cache.context, cache.output, recorder.at("out_proj"));         // [N, D]
}

template <std::floating_point Scalar>
void SelfAttention<Scalar>::backward(const Parameters& p, const AttentionSettings& settings, Index sentences,
                                     ConstMatrixRef<Scalar> x, Cache& cache, ConstMatrixRef<Scalar> d_y,
                                     Parameters& grad, const Recorder& recorder) {
  const Index D = p.width();
  // output = context Wo
  Linear<Scalar>::backward(p.output, cache.context, d_y, grad.output, cache.d_context, recorder.at("out_proj"));
  // context = attention(q, k, v)
  cache.d_query_key_value.resize_like(cache.query_key_value);
  auto d_q = cache.d_query_key_value.leftCols(D);
  auto d_k = cache.d_query_key_value.middleCols(D, D);
  auto d_v = cache.d_query_key_value.rightCols(D);
  ScaledDotProductAttention<Scalar>::backward(
      sentences, settings.heads, cache.query_key_value.leftCols(D), cache.query_key_value.middleCols(D, D),
      cache.query_key_value.rightCols(D), cache.attention, cache.d_context, d_q, d_k, d_v, recorder);
  recorder.record("d_query_key_value [N, 3D] = {d_q}, {d_k} and {d_v} side by side", cache.d_query_key_value, d_q, d_k,
                  d_v);
  // q, k, v = x Wq, x Wk, x Wv.  x feeds all three; as they are one map, its three gradients are already summed.
  Linear<Scalar>::backward(p.query_key_value, x, cache.d_query_key_value, grad.query_key_value, cache.d_input,
                           recorder.at("qkv_proj"));
}

template <std::floating_point Scalar>
void CrossAttention<Scalar>::forward(const Parameters& p, const AttentionSettings& settings, Index sentences,
                                     ConstMatrixRef<Scalar> x, ConstMatrixRef<Scalar> memory, const Mask& mask,
                                     const Pass& pass, Site site, Cache& cache, const Recorder& recorder) {
  const Index D = p.width();
  Linear<Scalar>::forward(p.query(), x, cache.query, recorder.at("q_proj"));                       // [N, D]
  Linear<Scalar>::forward(p.key_value(), memory, cache.key_value, recorder.at("kv_proj"));         // [M, 2D]
  const auto k = cache.key_value.leftCols(D);
  const auto v = cache.key_value.rightCols(D);
  recorder.record("k [M, D] = the left half of {key_value}", k, cache.key_value);
  recorder.record("v [M, D] = the right half of {key_value}", v, cache.key_value);
  cache.context.resize(x.rows(), D);
  ScaledDotProductAttention<Scalar>::forward(sentences, settings.heads, cache.query, k, v, mask, settings.dropout, pass,
                                             site, cache.attention, cache.context, recorder);
  Linear<Scalar>::forward(p.output, cache.context, cache.output, recorder.at("out_proj"));         // [N, D]
}

template <std::floating_point Scalar>
void CrossAttention<Scalar>::backward(const Parameters& p, const AttentionSettings& settings, Index sentences,
                                      ConstMatrixRef<Scalar> x, ConstMatrixRef<Scalar> memory, Cache& cache,
                                      ConstMatrixRef<Scalar> d_y, Parameters& grad, const Recorder& recorder) {
  const Index D = p.width();
  // output = context Wo
  Linear<Scalar>::backward(p.output, cache.context, d_y, grad.output, cache.d_context, recorder.at("out_proj"));
  // context = attention(q, k, v)
  cache.d_query.resize_like(cache.query);
  cache.d_key_value.resize_like(cache.key_value);
  auto d_k = cache.d_key_value.leftCols(D);
  auto d_v = cache.d_key_value.rightCols(D);
  ScaledDotProductAttention<Scalar>::backward(sentences, settings.heads, cache.query, cache.key_value.leftCols(D),
                                              cache.key_value.rightCols(D), cache.attention, cache.d_context,
                                              cache.d_query, d_k, d_v, recorder);
  recorder.record("d_key_value [M, 2D] = {d_k} and {d_v} side by side", cache.d_key_value, d_k, d_v);
  // k, v = memory Wk, memory Wv: the way back into the encoder
  typename Linear<Scalar>::Parameters grad_key_value = grad.key_value();
  Linear<Scalar>::backward(p.key_value(), memory, cache.d_key_value, grad_key_value, cache.d_memory,
                           recorder.at("kv_proj"));
  // q = x Wq: the way back down the decoder
  typename Linear<Scalar>::Parameters grad_query = grad.query();
  Linear<Scalar>::backward(p.query(), x, cache.d_query, grad_query, cache.d_input, recorder.at("q_proj"));
}

template struct AttentionParameters<float>;
template struct AttentionParameters<double>;
template struct SelfAttention<float>;
template struct SelfAttention<double>;
template struct CrossAttention<float>;
template struct CrossAttention<double>;

}  // namespace glassformer
