#include "glassformer/layers/attention.hpp"

#include <algorithm>

namespace glassformer {

template <std::floating_point Scalar>
Projections<Scalar>::Projections(const Part<Scalar>& part, Index width)
    : weight(part.matrix("q_proj.weight", width, width, Role::query)
                 .with(part.matrix("k_proj.weight", width, width, Role::key))
                 .with(part.matrix("v_proj.weight", width, width, Role::value))),
      bias(part.vector("q_proj.bias", width, Role::bias)
               .with(part.vector("k_proj.bias", width, Role::bias))
               .with(part.vector("v_proj.bias", width, Role::bias))) {}

template <std::floating_point Scalar>
SelfAttention<Scalar>::SelfAttention(const Part<Scalar>& part, const AttentionSettings& settings)
    : projections(part, settings.width),
      qkv_proj(projections.map(part.at("qkv_proj").with({{"out", "3D"}}), 0, 3 * settings.width)),
      out_proj(part.at("out_proj"), settings.width, settings.width),
      // Keys and values have the same rows as queries.
      attention(part.with({{"S", part.letter("T")}, {"M", part.letter("N")}}), settings),
      name_(part.name()) {}

template <std::floating_point Scalar>
Buffer<Scalar>& SelfAttention<Scalar>::forward(const Pass& pass, const Buffer<Scalar>& x, const Mask& mask) {
  const Index D = x.cols();
  const Buffer<Scalar>& query_key_value = qkv_proj.forward(pass, x);  // [N, 3D]
  const auto q = query_key_value.view().middle_cols(0, D);
  const auto k = query_key_value.view().middle_cols(D, D);
  const auto v = query_key_value.view().middle_cols(2 * D, D);
  pass.record(name_, "q [N, D] = the first third of {query_key_value}", q, query_key_value);
  pass.record(name_, "k [N, D] = the second third of {query_key_value}", k, query_key_value);
  pass.record(name_, "v [N, D] = the last third of {query_key_value}", v, query_key_value);
  return out_proj.forward(pass, attention.forward(pass, q, k, v, mask));  // [N, D]
}

template <std::floating_point Scalar>
Buffer<Scalar>& SelfAttention<Scalar>::backward(const Pass& pass, const Buffer<Scalar>& d_y) {
  const Index D = d_y.cols();
  // y = context Wo^T
  const Buffer<Scalar>& d_context = out_proj.backward(pass, d_y);  // [N, D]
  // context = attention(q, k, v)
  d_qkv_.resize(d_y.rows(), 3 * D);
  const auto d_q = d_qkv_.view().middle_cols(0, D);
  const auto d_k = d_qkv_.view().middle_cols(D, D);
  const auto d_v = d_qkv_.view().middle_cols(2 * D, D);
  attention.backward(pass, d_context, d_q, d_k, d_v);
  pass.record(name_, "d_query_key_value [N, 3D] = {d_q}, {d_k} and {d_v} side by side", d_qkv_, d_q, d_k, d_v);
  // q, k, v = x Wq^T, x Wk^T, x Wv^T.  x feeds all three, so d_x = d_q Wq + d_k Wk + d_v Wv. That is one product:
  // [d_q d_k d_v] times the three stacked matrices.
  return qkv_proj.backward(pass, d_qkv_);  // [N, D]
}

/// Each row attends to its own past only, so it is treated as a sentence with one query.
template <std::floating_point Scalar>
Buffer<Scalar>& SelfAttention<Scalar>::step(const Pass& pass, const Buffer<Scalar>& x, KeyValueCache<Scalar>& past) {
  const Index D = x.cols();
  const Buffer<Scalar>& query_key_value = qkv_proj.forward(pass, x);  // [R, 3D]
  context_.resize_like(x);
  for (Index r = 0; r < x.rows(); ++r) {
    const auto row = query_key_value.view().middle_rows(r, 1);
    past.add(r, row.middle_cols(D, 2 * D));
    const Buffer<Scalar>& context =
        attention.forward(pass, row.middle_cols(0, D), past.keys(r), past.values(r), past.mask());  // [1, D]
    context_.view().middle_rows(r, 1).eigen() = context.eigen();
  }
  return out_proj.forward(pass, context_);  // [R, D]
}

template <std::floating_point Scalar>
CrossAttention<Scalar>::CrossAttention(const Part<Scalar>& part, const AttentionSettings& settings)
    : projections(part, settings.width),
      q_proj(projections.map(part.at("q_proj"), 0, settings.width)),
      kv_proj(projections.map(part.at("kv_proj").with({{"N", part.letter("M")}, {"out", "2D"}}), settings.width,
                              2 * settings.width)),
      out_proj(part.at("out_proj"), settings.width, settings.width),
      attention(part, settings),
      name_(part.name()) {}

template <std::floating_point Scalar>
Buffer<Scalar>& CrossAttention<Scalar>::forward(const Pass& pass, const Buffer<Scalar>& x, const Buffer<Scalar>& memory,
                                                const Mask& mask) {
  M_ = memory.rows();
  const Index D = x.cols();
  const Buffer<Scalar>& query = q_proj.forward(pass, x);            // [N, D]
  const Buffer<Scalar>& key_value = kv_proj.forward(pass, memory);  // [M, 2D]
  const auto k = key_value.view().middle_cols(0, D);
  const auto v = key_value.view().middle_cols(D, D);
  pass.record(name_, "k [M, D] = the left half of {key_value}", k, key_value);
  pass.record(name_, "v [M, D] = the right half of {key_value}", v, key_value);
  return out_proj.forward(pass, attention.forward(pass, query, k, v, mask));  // [N, D]
}

template <std::floating_point Scalar>
MemoryGradients<Scalar> CrossAttention<Scalar>::backward(const Pass& pass, const Buffer<Scalar>& d_y) {
  const Index D = d_y.cols();
  // y = context Wo^T
  const Buffer<Scalar>& d_context = out_proj.backward(pass, d_y);  // [N, D]
  // context = attention(q, k, v)
  d_q_.resize_like(d_context);
  d_kv_.resize(M_, 2 * D);
  const auto d_k = d_kv_.view().middle_cols(0, D);
  const auto d_v = d_kv_.view().middle_cols(D, D);
  attention.backward(pass, d_context, d_q_, d_k, d_v);
  pass.record(name_, "d_key_value [M, 2D] = {d_k} and {d_v} side by side", d_kv_, d_k, d_v);
  // k, v = memory Wk^T, memory Wv^T.  This gradient flows back into the encoder.
  const Buffer<Scalar>& d_memory = kv_proj.backward(pass, d_kv_);  // [M, D]
  // q = x Wq^T.  This gradient flows back through the decoder.
  return {q_proj.backward(pass, d_q_), d_memory};  // [N, D] and [M, D]
}

template <std::floating_point Scalar>
EncodedSources<Scalar> CrossAttention<Scalar>::project(const Pass& pass, const Buffer<Scalar>& memory,
                                                       std::span<const Mask> masks) {
  return {kv_proj.forward(pass, memory), masks};  // [M, 2D]
}

/// The hypotheses of a sentence are queries to the same keys.
template <std::floating_point Scalar>
Buffer<Scalar>& CrossAttention<Scalar>::step(const Pass& pass, const Buffer<Scalar>& x,
                                             const EncodedSources<Scalar>& sources, std::span<const Index> sentences) {
  const Buffer<Scalar>& query = q_proj.forward(pass, x);  // [R, D]
  context_.resize_like(x);
  Index count = 0;  // of the current sentence's rows
  for (Index first = 0; first < x.rows(); first += count) {
    const auto rest = sentences.subspan(static_cast<std::size_t>(first));
    const Index sentence = rest.front();
    count = std::ranges::find_if(rest, [&](Index other) { return other != sentence; }) - rest.begin();
    const Buffer<Scalar>& context =
        attention.forward(pass, query.view().middle_rows(first, count), sources.keys(sentence),
                          sources.values(sentence), sources.mask(sentence));  // [count, D]
    context_.view().middle_rows(first, count).eigen() = context.eigen();
  }
  return out_proj.forward(pass, context_);  // [R, D]
}

template struct Projections<float>;
template struct Projections<double>;
template class SelfAttention<float>;
template class SelfAttention<double>;
template class CrossAttention<float>;
template class CrossAttention<double>;

}  // namespace glassformer
