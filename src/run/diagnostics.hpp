#pragma once

#include <span>
#include <string>
#include <vector>

#include "glassformer/model/settings.hpp"
#include "glassformer/text/corpus.hpp"
#include "glassformer/training/settings.hpp"
#include "glassformer/training/sharded_gradient.hpp"
#include "glassformer/verification/gradient_check.hpp"

namespace glassformer {

/// Logs a one-line warning for each setting that a config allows but hardly anyone wants.
void warn_about(const TransformerSettings& model, const TrainingSettings& training);

/// Finds where a loss or gradient stopped being finite. Recomputes the update's sentences one by one with a recorder.
/// Describes the first recorded matrix that is not finite: its part of the model, its equation, and the line of the
/// training text. (If a parameter is not finite, names that instead.) Slow, because the recorder copies every matrix.
std::string first_non_finite(const Model<float>& model, const TrainingSettings& settings, const Corpus& corpus,
                             std::span<const std::vector<Index>> batches, const ShardedGradient::Step& step);

/// How the gradient of one tensor compares with finite differences of the loss.
struct TensorCheck {
  std::string name;
  std::vector<Index> shape;
  GradientError error;
};

/// Gives the model random weights (biases and gains too, because a gain of 1 or a bias of 0 hides mistakes). Computes
/// the gradient for a small padded batch of the text, with dropout. Compares up to `samples` entries of each tensor's
/// gradient (0: all) with finite differences of the loss.
std::vector<TensorCheck> check_model_gradient(Model<double>& model, const TrainingSettings& training,
                                              const SentencePairs& text, Index samples);

}  // namespace glassformer
