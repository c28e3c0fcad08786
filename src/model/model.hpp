#pragma once

#include <concepts>
#include <cstdint>
#include <memory>

#include "glassformer/model/transformer.hpp"

namespace glassformer {

/// A model's shape and weights, which all threads share. Each thread builds its own Transformer on top of them.
template <std::floating_point Scalar>
struct Model {
  TransformerSettings settings;
  VocabularyShape vocabulary;
  Arena<Scalar> weights;

  /// All weights are 0 until initialize() draws them or a checkpoint is loaded.
  Model(const TransformerSettings& shape, const VocabularyShape& vocabulary_shape)
      : settings(shape),
        vocabulary(vocabulary_shape),
        weights(Transformer<Scalar>(shape, vocabulary_shape).tensors()) {}
};

/// A transformer bound to the model's weights, without a gradient: bind() one before you call backward().
template <std::floating_point Scalar>
std::unique_ptr<Transformer<Scalar>> make_transformer(const Model<Scalar>& model, double label_smoothing = 0) {
  auto transformer = std::make_unique<Transformer<Scalar>>(model.settings, model.vocabulary, label_smoothing);
  transformer->bind(model.weights);
  return transformer;
}

/// Initialises a model's weights before training. They depend only on its settings, its special ids, the seed, and the
/// tensors' shapes, roles and order.
///
///   embeddings and an untied output matrix       normal, standard deviation 1 / sqrt(D); the padding row is 0
///   linear maps                                  uniform in +-sqrt(6 / (in + out))             (Glorot & Bengio 2010)
///   query, key and value maps                    the same / sqrt(2), as if all three were one map with out = 3 * in
///   biases 0, gains of normalisations 1
///
/// The value and output maps of attention and the feed-forward maps are also multiplied by settings.initial_gain. If it
/// is below 1, a sublayer adds less to the residual stream at first. This helps post-norm: the first updates change the
/// model's output less, so it tolerates a higher learning rate and converges faster. The idea and the choice of maps
/// are from Wang et al. (DeepNet, arXiv 2203.00555). They also scale the residual stream, and for 4 + 4 layers their
/// formulas give gains of 0.56 (encoder) and 0.38 (decoder). We do not scale the stream, and use one gain for both.
template <std::floating_point Scalar>
void initialize(Model<Scalar>& model, std::uint64_t seed);

}  // namespace glassformer
