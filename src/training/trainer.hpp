#pragma once

#include <span>

#include "training/batch_sequence.hpp"
#include "training/optimizer.hpp"
#include "training/sharded_gradient.hpp"

namespace glassformer {

/// Trains a model on sentence pairs, one update per call:
///
///   Trainer trainer(model, settings, [&](Index) { return pairs; });
///   while (trainer.progress().update < 1000) std::cout << trainer.step().loss.mean() << "\n";
///
/// It neither reads nor writes files, nor does it print or decide when to stop. The code around it does.
class Trainer {
 public:
  /// What an update did.
  struct Update {
    LossSum loss;                      ///< summed over the target tokens
    TokenCount tokens;                 ///< as padded in the micro-batches
    ShardedGradient::Seconds seconds;  ///< where the time of the gradient went
    double gradient_norm = 0;          ///< before clipping
    double learning_rate = 0;
    bool skipped = false;                           ///< the loss or the gradient was not finite, so the weights stayed
    std::span<const BatchSequence::Batch> batches;  ///< what it was computed on; valid until the next step
    ShardedGradient::Step step;                     ///< seed and number, which draw its dropout
  };

  /// \param model  its weights are trained in place. It must outlive the trainer
  /// \param text   gives the sentence pairs of an epoch; called once when the epoch begins
  /// \param ranks  the processes that train together, all with the same model, settings and text
  Trainer(Model<float>& model, const TrainingSettings& settings, BatchSequence::Text text, const Ranks& ranks = alone);

  /// One update: gradient, learning rate, optimizer. Plans the next epoch first if there is no batch left.
  Update step();

  const Progress& progress() const { return progress_; }
  /// Continues from `progress`; the weights and the optimizer's vectors are the caller's to restore. False: the epoch
  /// has no such batch, so this is another text than the one it was trained on.
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
