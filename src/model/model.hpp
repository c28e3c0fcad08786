#pragma once

#include <concepts>
#include <cstdint>
#include <memory>

#include "model/transformer.hpp"

namespace glassformer {

/// A model's shape and its weights: everything that threads share. Each builds a Transformer of its own for it.
template <std::floating_point Scalar>
struct Model {
  TransformerSettings settings;
  VocabularyShape vocabulary;
  Arena<Scalar> weights;

  /// All weights are 0 until initialize() draws them or a checkpoint is read.
  Model(const TransformerSettings& shape, const VocabularyShape& vocabulary_shape)
      : settings(shape),
        vocabulary(vocabulary_shape),
        weights(Transformer<Scalar>(shape, vocabulary_shape).tensors()) {}
};

/// A transformer that reads the model's weights, and knows no gradient.
template <std::floating_point Scalar>
std::unique_ptr<Transformer<Scalar>> make_transformer(const Model<Scalar>& model, double label_smoothing = 0) {
  auto transformer = std::make_unique<Transformer<Scalar>>(model.settings, model.vocabulary, label_smoothing);
  transformer->bind(model.weights);
  return transformer;
}

/// Fills a model's weights before training. The numbers depend on the seed and on the model's shape alone.
///
///   embeddings and an output matrix of its own   normal, standard deviation 1 / sqrt(D); the row of padding 0
///   linear maps                                  uniform in +-sqrt(6 / (in + out))             (Glorot & Bengio 2010)
///   query, key and value maps                    the same, times 1 / sqrt(2), as if the three were one map
///   biases 0, gains of layer normalisation 1
///
/// The value, output and feed-forward maps are multiplied by settings.initial_gain besides. Below 1, a sublayer adds
/// less to the residual stream at first. That is what post-norm needs: the first updates change what the model computes
/// by less, it bears a higher rate, and learns sooner. The idea and the choice of maps are those of Wang et al.
/// (DeepNet, arXiv 2203.00555), who multiply the residual stream as well, and for 4 and 4 layers would take 0.56 in the
/// encoder and 0.38 in the decoder. Here the stream is left alone, and one number serves both.
template <std::floating_point Scalar>
void initialize(Model<Scalar>& model, std::uint64_t seed);

}  // namespace glassformer
