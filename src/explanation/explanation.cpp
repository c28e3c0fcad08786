#include "explanation/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "explanation/padding_effect.hpp"
#include "text/corpus.hpp"

namespace glassformer {
namespace {

Batch make_batch_of(const TokenizerPair& tokenizers, const std::vector<ExplainedPair>& pairs) {
  Corpus corpus(tokenizers.source->special(), tokenizers.target->special());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    corpus.append(tokenizers.source->encode(pairs[i].source), tokenizers.target->encode(pairs[i].target),
                  static_cast<Index>(i));
  }
  std::vector<Index> sentences(pairs.size());
  std::iota(sentences.begin(), sentences.end(), Index{0});
  return make_batch(corpus, sentences);
}

std::vector<Matrix<float>> attention_of(const Transformer<float>::Cache& cache) {
  std::vector<Matrix<float>> weights;
  for (const auto& layer : cache.encoder) weights.emplace_back(layer.self_attention.attention.weights);
  for (const auto& layer : cache.decoder) {
    weights.emplace_back(layer.self_attention.attention.weights);
    weights.emplace_back(layer.cross_attention.attention.weights);
  }
  return weights;
}

std::vector<double> norms_of(const Arena<Transformer<float>::Parameters>& arena) {
  std::vector<double> norms;
  for (const TensorPlace& tensor : arena.tensors()) {
    norms.push_back(arena.values(tensor).cast<double>().matrix().norm());
  }
  return norms;
}

/// What the rows of probabilities, which forward leaves in place of the logits, answer to what was asked.
std::vector<std::vector<Answer>> answers_to(const Batch& batch, const Transformer<float>::Cache& cache, Id pad) {
  constexpr std::ptrdiff_t kLikeliest = 10;
  const Buffer<float>& p = cache.logits;
  const Index T = batch.target_output.cols(), V = p.cols();
  std::vector<std::vector<Answer>> answers(static_cast<std::size_t>(batch.size()));
  std::vector<Id> order(static_cast<std::size_t>(V));
  for (Index n = 0; n < p.rows(); ++n) {
    Answer answer;
    answer.expected = batch.target_output(n / T, n % T);
    answer.counted = answer.expected != pad;
    if (answer.counted) {
      answer.probability = p(n, answer.expected);
      answer.loss = cache.cross_entropy.losses(n, 0);
      answer.cross_entropy = cache.cross_entropy.cross_entropies(n, 0);
    }
    std::iota(order.begin(), order.end(), Id{0});
    const auto end = order.begin() + std::min<std::ptrdiff_t>(kLikeliest, V);
    const auto key = [&](Id id) {  // of a model that has diverged, NaN is put last: sorting needs an order
      return std::isnan(p(n, id)) ? -1 : p(n, id);
    };
    std::partial_sort(order.begin(), end, order.end(),
                      [&](Id a, Id b) { return key(a) != key(b) ? key(a) > key(b) : a < b; });
    for (auto id = order.begin(); id != end; ++id) answer.likeliest.push_back({*id, p(n, *id)});
    answers[static_cast<std::size_t>(n / T)].push_back(std::move(answer));
  }
  return answers;
}

}  // namespace

Explanation explain(const ExplainedModel& explained, std::vector<ExplainedPair> pairs) {
  const Transformer<float>& model = explained.model;
  Explanation explanation;
  explanation.pairs = std::move(pairs);
  explanation.batch = make_batch_of(explained.tokenizers, explanation.pairs);
  const Batch& batch = explanation.batch;
  const MaskSettings& on = model.settings.masks;
  explanation.look_ahead = switched(look_ahead_mask(batch.target_input.cols()), on.look_ahead);
  explanation.target_padding =
      switched(padding_mask(batch.target_input, model.vocabulary.target_pad), on.target_padding);
  explanation.variants = mask_variants(model.settings, model.vocabulary, batch.source, batch.target_input);
  explanation.parameter_norms = norms_of(explained.parameters);

  const Index tokens = (batch.target_output.array() != model.vocabulary.target_pad).count();
  const Pass pass{.training = explained.dropout, .seed = explained.seed, .update = 1, .sentences = batch.sentences};
  Arena<Transformer<float>::Parameters> gradient(model.settings, model.vocabulary);
  Transformer<float>::Cache cache;
  for (const MaskVariant& variant : explanation.variants) {
    const bool first = explanation.figures.empty();
    const Recorder recorder = first ? Recorder(explanation.recording) : Recorder();
    const ModelInput input{batch.source, batch.target_input, batch.target_output, variant.masks};
    PassFigures figures;
    figures.loss =
        model.forward(explained.parameters.parameters(), input, explained.label_smoothing, pass, cache, recorder);
    figures.losses = Eigen::Map<const Matrix<float>>(cache.cross_entropy.losses.data(), batch.target_output.rows(),
                                                     batch.target_output.cols());
    figures.answers = likeliest_tokens(cache.logits, batch.size());
    figures.attention = attention_of(cache);
    figures.on_padding = attention_on_padding(model, batch, figures.attention);
    if (first) explanation.answers = answers_to(batch, cache, model.vocabulary.target_pad);

    gradient.values().setZero();
    model.backward(explained.parameters.parameters(), input, explained.label_smoothing,
                   1 / static_cast<float>(tokens), cache, gradient.parameters(), recorder);
    figures.gradient_norms = norms_of(gradient);
    explanation.figures.push_back(std::move(figures));
  }
  answer_alone(explained, explanation);
  return explanation;
}

}  // namespace glassformer
