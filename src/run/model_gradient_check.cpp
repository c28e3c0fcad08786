#include "run/model_gradient_check.hpp"

#include <numeric>

#include "batching/batch.hpp"
#include "checkpoint/loaded_model.hpp"
#include "model/initialization.hpp"
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

/// Moves every weight by up to 0.1, so that none of them has a value that makes a term vanish.
void shake(Arena<double>& weights, std::uint64_t seed) {
  RowVector<double> noise(weights.size());
  fill_uniform({.seed = seed, .site = 1'000'000}, noise.size(), noise.data());
  weights.values().eigen().array() += 0.2 * noise.array() - 0.1;
}

}  // namespace

std::vector<TensorCheck> check_model_gradient(const Config& config, Index samples) {
  const TokenizerPair tokenizers = starting_tokenizers(config);
  const Batch batch = a_few_sentences(config, tokenizers);

  Model<double> model(config.model, vocabulary_shape(tokenizers));
  initialize(model, config.training.seed);
  shake(model.weights, config.training.seed);
  Arena<double> gradient(model.weights.tensors());
  const auto transformer = make_transformer(model, config.training.label_smoothing);
  transformer->bind(model.weights, gradient);

  const TransformerMasks masks = transformer->masks(batch.source, batch.target_input);
  const ModelInput input{batch.source, batch.target_input, batch.target_output, masks};
  const Pass pass{.training = true, .seed = config.training.seed, .update = 1, .sentences = batch.sentences};

  const auto tokens = static_cast<double>(transformer->forward(pass, input).tokens);
  transformer->backward(pass, 1 / tokens);
  const auto loss = [&] { return transformer->forward(pass, input).loss / tokens; };

  std::vector<TensorCheck> checks;
  for (const TensorPlace& tensor : model.weights.tensors()) {
    checks.push_back({tensor.name, tensor.shape,
                      check_gradient(model.weights.values(tensor), gradient.values(tensor), loss, samples)});
  }
  return checks;
}

}  // namespace glassformer
