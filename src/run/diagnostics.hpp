#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/settings.hpp"
#include "numerics/gradient_check.hpp"
#include "text/corpus.hpp"
#include "training/settings.hpp"
#include "training/sharded_gradient.hpp"

namespace glassformer {

/// Logs a warning of one line for each thing that a config allows but hardly anybody wants.
void warn_about(const TransformerSettings& model, const ScheduleSettings& schedule);

/// Finds where a loss or gradient stopped being finite, which the NaN and infinity at its end do not show. Computes the
/// update's sentences again, one by one, with a recorder, and names the first recorded matrix that is not finite: its
/// part of the model, its equation, and the line of the training text. Slow, because every matrix is copied.
std::string first_non_finite(const Model<float>& model, const TrainingSettings& settings, const Corpus& corpus,
                             std::span<const std::vector<Index>> batches, const ShardedGradient::Step& step);

/// How the gradient of one tensor compares with differences of the loss.
struct TensorCheck {
  std::string name;
  std::vector<Index> shape;
  GradientError error;
};

/// Gives the model random weights (biases and gains too, because a gain of 1 or a bias of 0 hides mistakes), and
/// compares every tensor's gradient of a small padded batch of the text, dropout included, with differences of the
/// loss: at up to `samples` numbers of each (0: all).
std::vector<TensorCheck> check_model_gradient(Model<double>& model, const TrainingSettings& training,
                                              const SentencePairs& text, Index samples);

}  // namespace glassformer
