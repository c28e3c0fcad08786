#pragma once

#include <span>

#include "training/batch_sequence.hpp"
#include "training/optimizer.hpp"
#include "training/sharded_gradient.hpp"

namespace glassformer {

/// Trains a model on sentence pairs, one update per call:
///
///   Trainer trainer(model, settings, pairs);
///   while (trainer.progress().update < 1000) std::cout << trainer.step().loss.mean() << "\n";
///
/// It does not read or write files, print, or decide when to stop. The code around it does.
class Trainer {
 public:
  /// The results of an update.
  struct Update {
    LossSum loss;              ///< summed over the target tokens
    TokenCount tokens;         ///< with the padding of the micro-batches
    double gradient_norm = 0;  ///< before clipping
    double learning_rate = 0;
    bool skipped = false;  ///< loss, gradient or its square was not finite: the weights did not change
    std::span<const BatchSequence::Batch> batches;  ///< the data it was computed on; valid until the next step
    ShardedGradient::Step step;                     ///< seed and number, which determine its dropout
  };

  /// \param model  its weights are trained in place. It must outlive the trainer
  /// \param pairs  the training text, at least one pair; their ids and offsets must outlive the trainer
  /// \param ranks  the processes that train together, all with the same model, settings and text
  Trainer(Model<float>& model, const TrainingSettings& settings, const SentencePairs& pairs,
          const Ranks& ranks = alone);

  /// One update: gradient, learning rate, optimizer. Plans the next epoch first if no batch is left.
  Update step();

  const Progress& progress() const { return progress_; }
  /// Continues from `progress`. The caller restores the weights and the optimizer's vectors. Returns false if the epoch
  /// has no such batch: then the text is not the one that training used.
  bool continue_from(const Progress& progress);

  Optimizer<float>& optimizer() { return optimizer_; }
  const BatchSequence& batches() const { return batches_; }

 private:
  Model<float>& model_;
  const TrainingSettings settings_;
  BatchSequence batches_;
  ShardedGradient gradient_;
  Optimizer<float> optimizer_;
  Progress progress_;
};

}  // namespace glassformer
