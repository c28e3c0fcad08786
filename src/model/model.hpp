#pragma once

#include <concepts>
#include <memory>

#include "model/transformer.hpp"

namespace glassformer {

/// A model's shape and its weights: everything that threads share. Each builds a Transformer of its own for it.
template <std::floating_point Scalar>
struct Model {
  TransformerSettings settings;
  VocabularyShape vocabulary;
  Arena<Scalar> weights;

  /// All weights are 0: see initialize.
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

}  // namespace glassformer
