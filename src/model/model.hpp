#pragma once

#include <concepts>
#include <cstdint>
#include <memory>

#include "model/transformer.hpp"

namespace glassformer {

/// A model's shape and its weights: everything that threads share. Each thread builds its own Transformer for it.
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

/// A transformer that reads the model's weights, and has no gradient yet: for backward, bind() one.
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
///   query, key and value maps                    the same / sqrt(2): that of one map with out = 3 in
///   biases 0, gains of layer normalisation 1
///
/// The value and output maps of attention and the feed-forward maps are also multiplied by settings.initial_gain. If it
/// is below 1, a sublayer adds less to the residual stream at first. This helps post-norm: the first updates change the
/// model's output less, so it tolerates a higher learning rate and converges faster. The idea and the choice of maps
/// are from Wang et al. (DeepNet, arXiv 2203.00555). They scale the residual stream too, and their formulas for 4 + 4
/// layers give 0.56 in the encoder and 0.38 in the decoder. Here the stream is left alone, and one number serves both.
template <std::floating_point Scalar>
void initialize(Model<Scalar>& model, std::uint64_t seed);

}  // namespace glassformer
