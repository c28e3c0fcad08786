#pragma once

#include <atomic>
#include <chrono>
#include <vector>

#include "checkpoint/run_directory.hpp"
#include "checkpoint/training_state.hpp"
#include "config/config.hpp"
#include "evaluation/evaluation.hpp"
#include "report/log.hpp"
#include "report/metrics.hpp"
#include "training/optimizer.hpp"
#include "training/sharded_gradient.hpp"

namespace glassformer {

/// The text of a run, read before its directory is made.
struct TrainingText {
  TokenizerPair tokenizers;
  Corpus train;
  TestText valid;

  /// \throws UserError: text that cannot be used
  static TrainingText read(const Config& config, const TokenizerPair& tokenizers);
};

/// One training run: batches in, checkpoints out.
class Trainer {
 public:
  /// Weights are drawn anew, or with `resume` taken from the run's last checkpoint together with everything that
  /// the continuation depends on. What is logged is shown at `display`.
  Trainer(const Config& config, TrainingText text, RunDirectory directory, bool resume,
          DisplayTarget display = standard_error());

  /// Trains until the config says stop, or `interrupted` becomes true; then the update under way is finished and a
  /// checkpoint written.
  void run(const std::atomic<bool>& interrupted);

 private:
  /// What the updates since the last line of the log add up to.
  struct Window {
    LossSum loss;
    TokenCount tokens;
    double gradient_norm = 0, seconds = 0;
    Index updates = 0;
  };

  bool is_finished() const;
  void plan();                  // the batches of the current epoch
  void update();                // one step of the optimizer
  void validate();              // figures, samples, best, checkpoint
  void write_checkpoint();
  void average_checkpoints();   // the mean of the last so many, as a checkpoint of its own
  ValidationFigures figures_of(const Evaluation& evaluation);
  bool is_better(double figure) const;
  TrainingFigures training_figures() const;
  double minutes() const;
  double minutes_left() const;

  const Config config_;
  const TrainingText text_;
  const RunDirectory directory_;
  const Transformer<float> model_;
  Arena<Transformer<float>::Parameters> parameters_;
  ShardedGradient gradient_;
  Adam optimizer_;
  Progress progress_;
  std::vector<std::vector<Index>> batches_;  // of the current epoch
  Window window_;
  RunLog log_;
  MetricsFile metrics_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double minutes_before_ = 0;  // of the run, before it was resumed
  Index saved_update_ = -1;    // of the last checkpoint
};

}  // namespace glassformer
