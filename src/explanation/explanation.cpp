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

std::vector<Matrix<float>> attention_of(const Transformer<float>& transformer) {
  std::vector<Matrix<float>> weights;
  const auto add = [&](const auto& attention) { weights.emplace_back(attention.sublayer.attention.weights().eigen()); };
  for (const auto& layer : transformer.encoder_layers) add(layer.self_attention);
  for (const auto& layer : transformer.decoder_layers) {
    add(layer.self_attention);
    add(layer.cross_attention);
  }
  return weights;
}

std::vector<double> norms_of(const Arena<float>& arena) {
  std::vector<double> norms;
  for (const TensorPlace& tensor : arena.tensors()) {
    norms.push_back(arena.values(tensor).eigen().cast<double>().norm());
  }
  return norms;
}

/// What the rows of probabilities, which forward leaves in place of the logits, answer to what was asked.
std::vector<std::vector<Answer>> answers_to(const Batch& batch, const Transformer<float>& transformer) {
  constexpr std::ptrdiff_t kLikeliest = 10;
  const Buffer<float>& p = transformer.probabilities();
  const Index T = batch.target_output.cols(), V = p.cols();
  std::vector<std::vector<Answer>> answers(static_cast<std::size_t>(batch.size()));
  std::vector<Id> order(static_cast<std::size_t>(V));
  for (Index n = 0; n < p.rows(); ++n) {
    Answer answer;
    answer.expected = batch.target_output(n / T, n % T);
    answer.counted = answer.expected != transformer.vocabulary.pad.target;
    if (answer.counted) {
      answer.probability = p(n, answer.expected);
      answer.loss = transformer.cross_entropy.losses()(n, 0);
      answer.cross_entropy = transformer.cross_entropy.cross_entropies()(n, 0);
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
  const Model<float>& model = explained.model;
  Explanation explanation;
  explanation.pairs = std::move(pairs);
  explanation.batch = make_batch_of(explained.tokenizers, explanation.pairs);
  const Batch& batch = explanation.batch;
  explanation.variants = mask_variants(model.settings, model.vocabulary, batch.source, batch.target_input);
  explanation.masks = make_masks(batch.source, batch.target_input, model.vocabulary.pad, model.settings.masks);
  explanation.parameter_norms = norms_of(model.weights);

  const Index tokens = (batch.target_output.eigen().array() != model.vocabulary.pad.target).count();
  Pass pass{.training = explained.dropout, .seed = explained.seed, .update = 1, .sentences = batch.sentences};
  Arena<float> gradient(model.weights.tensors());
  const auto transformer = make_transformer(model, explained.label_smoothing);
  transformer->bind(model.weights, gradient);
  for (const MaskVariant& variant : explanation.variants) {
    const bool first = explanation.figures.empty();
    pass.recording = first ? &explanation.recording : nullptr;
    PassFigures figures;
    figures.loss = transformer->forward(pass, {batch.source, batch.target_input, batch.target_output, variant.masks});
    figures.losses = Eigen::Map<const Matrix<float>>(transformer->cross_entropy.losses().data(),
                                                     batch.target_output.rows(), batch.target_output.cols());
    figures.answers = likeliest_tokens(transformer->probabilities(), batch.size());
    figures.attention = attention_of(*transformer);
    figures.on_padding = attention_on_padding(model, batch, figures.attention);
    if (first) explanation.answers = answers_to(batch, *transformer);

    std::ranges::fill(gradient.values(), 0.0F);
    transformer->backward(pass, 1 / static_cast<float>(tokens));
    figures.gradient_norms = norms_of(gradient);
    explanation.figures.push_back(std::move(figures));
  }
  answer_alone(explained, explanation);
  return explanation;
}

}  // namespace glassformer
