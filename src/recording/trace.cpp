#include "glassformer/recording/trace.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {
namespace {

Pass pass_of(const TracedModel& traced, const Batch& batch, Recorder* recorder) {
  return {
      .training = traced.dropout, .seed = traced.seed, .update = 1, .sentences = batch.sentences, .recorder = recorder};
}

/// The most likely tokens in row n of the probabilities p [N, V]. If two are equally likely, the lower id comes first.
std::vector<LikelyToken> likeliest_tokens(const Buffer<float>& p, Index n) {
  constexpr Index kCount = 10;
  std::vector<Id> order(static_cast<std::size_t>(p.cols()));
  std::iota(order.begin(), order.end(), Id{0});
  const auto end = order.begin() + std::min(kCount, p.cols());
  const auto key = [&](Id id) { return std::isnan(p(n, id)) ? -1 : p(n, id); };  // NaN has no order, so it comes last
  std::partial_sort(order.begin(), end, order.end(),
                    [&](Id a, Id b) { return key(a) != key(b) ? key(a) > key(b) : a < b; });
  std::vector<LikelyToken> tokens;
  for (auto id = order.begin(); id != end; ++id) {
    tokens.push_back({*id, p(n, *id)});
  }
  return tokens;
}

/// The answers of a forward pass. `pad` is the target's padding.
Answers answers_of(const Losses<float>& losses, const Batch& batch, Id pad) {
  const Buffer<float>& p = losses.p;  // [B*T, V]
  const Index T = batch.target_output.cols();
  Answers answers(static_cast<std::size_t>(batch.size()));
  for (Index n = 0; n < p.rows(); ++n) {
    Answer answer;
    answer.expected = batch.target_output(n / T, n % T);
    answer.counted = answer.expected != pad;
    if (answer.counted) {
      answer.probability = p(n, answer.expected);
      answer.loss = losses.of_rows(n, 0);
      answer.cross_entropy = losses.cross_entropies(n, 0);
    }
    answer.likeliest = likeliest_tokens(p, n);
    answers[static_cast<std::size_t>(n / T)].push_back(std::move(answer));
  }
  return answers;
}

std::vector<AttentionWeights> attention_of(const Transformer<float>& transformer) {
  std::vector<AttentionWeights> all;
  const auto add = [&](AttentionKind kind, std::size_t layer, const auto& attention) {
    const ScaledDotProductAttention<float>& inner = attention.sublayer.attention;
    all.push_back({inner.name(), kind, static_cast<Index>(layer), inner.weights().eigen()});
  };
  for (std::size_t i = 0; i < transformer.encoder_layers.size(); ++i) {
    add(AttentionKind::encoder_self, i, transformer.encoder_layers[i].self_attention);
  }
  for (std::size_t i = 0; i < transformer.decoder_layers.size(); ++i) {
    add(AttentionKind::decoder_self, i, transformer.decoder_layers[i].self_attention);
    add(AttentionKind::cross, i, transformer.decoder_layers[i].cross_attention);
  }
  return all;
}

}  // namespace

Trace trace_pass(const TracedModel& traced, const Batch& batch, const TransformerMasks& masks, Recorder* recorder) {
  const Pass pass = pass_of(traced, batch, recorder);
  const auto transformer = make_transformer(traced.model, traced.label_smoothing);
  Arena<float> gradient(traced.model.weights.tensors());
  transformer->bind(traced.model.weights, gradient);
  Trace trace;
  const ModelInput input{batch.source, batch.target_input, batch.target_output, masks};
  const Losses<float> losses = transformer->forward(pass, input);
  trace.loss = losses;
  trace.answers =
      answers_of(losses, batch, traced.model.vocabulary.special.target.pad);  // before backward overwrites p
  trace.attention = attention_of(*transformer);
  transformer->backward(pass, 1 / static_cast<float>(trace.loss.tokens));
  trace.gradient_norms = tensor_norms(gradient);
  for (const DecoderLayer<float>& layer : transformer->decoder_layers) {
    trace.memory_readers.push_back(layer.cross_attention.sublayer.kv_proj.name());
  }
  trace.parts = transformer->parts();
  return trace;
}

Answers find_answers(const TracedModel& traced, const Batch& batch, const TransformerMasks& masks) {
  const auto transformer = make_transformer(traced.model, traced.label_smoothing);
  const ModelInput input{batch.source, batch.target_input, batch.target_output, masks};
  return answers_of(transformer->forward(pass_of(traced, batch, nullptr), input), batch,
                    traced.model.vocabulary.special.target.pad);
}

std::vector<double> tensor_norms(const Arena<float>& arena) {
  std::vector<double> norms;
  for (const TensorPlace& tensor : arena.tensors()) {
    norms.push_back(std::sqrt(sum_of_squares(arena.values(tensor))));
  }
  return norms;
}

}  // namespace glassformer
