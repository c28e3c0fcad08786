#pragma once

#include <span>
#include <vector>

#include "glassformer/training/optimizer.hpp"
#include "glassformer/training/sharded_gradient.hpp"

namespace glassformer {

/// How far training has progressed.
struct Progress {
  Index update = 0;          ///< updates done, skipped ones included
  Index epoch = 0;           ///< epochs completed
  Index batch = 0;           ///< batches done in the current epoch
  Index skipped = 0;         ///< updates whose loss or gradient was not finite
  Index skipped_in_row = 0;  ///< consecutive skipped updates up to now

  bool operator==(const Progress&) const = default;
};

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
    TokenCount tokens;         ///< cells include the padding of the micro-batches
    double gradient_norm = 0;  ///< before clipping
    double learning_rate = 0;
    bool skipped = false;  ///< loss, norm or square of the clipped norm was not finite: the weights did not change
    std::span<const std::vector<Index>> batches;  ///< its sentence pairs; valid until the next step
    ShardedGradient::Step step;                   ///< seed and number, which determine its dropout
  };

  /// \param model  its weights are trained in place. It must outlive the trainer
  /// \param pairs  the training text; its ids and offsets must outlive the trainer. step() needs at least one pair
  /// \param ranks  the processes that train together, all with the same model, settings and text
  Trainer(Model<float>& model, const TrainingSettings& settings, const SentencePairs& pairs,
          const Ranks& ranks = alone);

  /// One update on the next training.accumulation batches, or those left in the epoch. Plans each epoch at its start.
  Update step();
  /// Runs this rank's shards of the next step() beforehand; see ShardedGradient::run_shards.
  void run_shards();
  ShardedGradient& sharded_gradient() { return gradient_; }

  const Progress& progress() const { return progress_; }
  /// Continues from `progress`, and sets the gradient to 0. The caller restores the weights and the optimizer's
  /// vectors. Returns false, and changes nothing, if the epoch has no such batch: then the text is not the one that
  /// training used.
  bool continue_from(const Progress& progress);

  Optimizer<float>& optimizer() { return optimizer_; }
  /// The gradient of the last update, before clipping, in the layout of the weights; all 0 before the first.
  std::span<const float> gradient() const { return gradient_.gradient(); }
  /// The sentence pairs of each batch of the epoch that was planned last; empty until one is planned.
  std::span<const std::vector<Index>> batches() const { return batches_; }

 private:
  std::vector<std::vector<Index>> batches_of(Index epoch) const;
  std::span<const std::vector<Index>> next_batches();

  Model<float>& model_;
  const TrainingSettings settings_;
  const SentencePairs pairs_;
  ShardedGradient gradient_;
  Optimizer<float> optimizer_;
  Progress progress_;
  Index planned_ = -1;  // the epoch that batches_ belongs to; -1: none
  std::vector<std::vector<Index>> batches_;
};

}  // namespace glassformer
