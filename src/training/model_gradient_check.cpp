#include "training/model_gradient_check.hpp"

#include <numeric>

#include "batching/batch.hpp"
#include "checkpoint/starting_point.hpp"
#include "model/initialization.hpp"
#include "model/vocabulary.hpp"
#include "numerics/random.hpp"
#include "text/corpus.hpp"

namespace glassformer {
namespace {

constexpr Index kSentences = 3;  // of different lengths, as a rule: there is padding to be masked

Batch a_few_sentences(const Config& config, const TokenizerPair& tokenizers) {
  const DataSettings& data = config.data;
  const Corpus corpus =
      Corpus::read(data.source_file(data.train), data.target_file(data.train), tokenizers, data.max_length);
  std::vector<Index> sentences(static_cast<std::size_t>(std::min(kSentences, corpus.size())));
  std::iota(sentences.begin(), sentences.end(), Index{0});
  return make_batch(corpus, sentences);
}

/// Moves every parameter by up to 0.1, so that none of them has a value that makes a term vanish.
void shake(Arena<Transformer<double>::Parameters>& parameters, std::uint64_t seed) {
  RowVector<double> noise(parameters.size());
  fill_uniform({.seed = seed, .site = 1'000'000}, noise.size(), noise.data());
  parameters.values() += 0.2 * noise.array().transpose() - 0.1;
}

}  // namespace

std::vector<TensorCheck> check_model_gradient(const Config& config, Index samples) {
  const TokenizerPair tokenizers = starting_tokenizers(config);
  const Batch batch = a_few_sentences(config, tokenizers);

  const Transformer<double> model{config.model, vocabulary_shape(tokenizers)};
  Arena<Transformer<double>::Parameters> parameters(model.settings, model.vocabulary);
  Arena<Transformer<double>::Parameters> gradient(model.settings, model.vocabulary);
  initialize(model, config.training.seed, parameters.parameters());
  shake(parameters, config.training.seed);

  const TransformerMasks masks = model.masks(batch.source, batch.target_input);
  const ModelInput input{batch.source, batch.target_input, batch.target_output, masks};
  const Pass pass{.training = true, .seed = config.training.seed, .update = 1, .sentences = batch.sentences};
  const double smoothing = config.training.label_smoothing;
  Transformer<double>::Cache cache;

  const LossSum sum = model.forward(parameters.parameters(), input, smoothing, pass, cache);
  const auto tokens = static_cast<double>(sum.tokens);
  model.backward(parameters.parameters(), input, smoothing, 1 / tokens, cache, gradient.parameters());
  const auto loss = [&] { return model.forward(parameters.parameters(), input, smoothing, pass, cache).loss / tokens; };

  std::vector<TensorCheck> checks;
  for (const TensorPlace& tensor : parameters.tensors()) {
    const auto size = static_cast<std::size_t>(tensor.size);
    checks.push_back({tensor.name, tensor.shape,
                      check_gradient({parameters.values(tensor).data(), size}, {gradient.values(tensor).data(), size},
                                     loss, samples)});
  }
  return checks;
}

}  // namespace glassformer
