#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <span>

#include "checkpoint/run_directory.hpp"
#include "checkpoint/training_state.hpp"
#include "config/config.hpp"
#include "numerics/ranks.hpp"
#include "report/log.hpp"
#include "report/metrics.hpp"
#include "training/batch_sequence.hpp"
#include "training/memory_forecast.hpp"
#include "training/optimizer.hpp"
#include "training/sharded_gradient.hpp"
#include "training/training_text.hpp"

namespace glassformer {

/// One training run: batches in, checkpoints out.
class Trainer {
 public:
  /// Makes the run's directory, and draws weights or takes those of model.from; or continues the run that was `begun`
  /// there, and takes from its last checkpoint the weights and all else that the continuation depends on. What is
  /// logged is shown at `display`. Where several `ranks` train together, all have to be given the same config and text;
  /// what the run was `begun` with is the first one's, who writes for all: the others are given no path, and leave
  /// nothing.
  /// \throws UserError: the directory holds another run; the text is not the one that the run was begun with, or not
  ///         the same on all ranks; the weights are not those of this model; the model needs more memory than there is
  Trainer(const Config& config, TrainingText training_text, const std::filesystem::path& directory,
          const std::optional<RunDirectory>& begun, DisplayTarget display = standard_error(),
          const Ranks& ranks = alone);

  /// Trains until the config says stop, or `interrupted` becomes true; then the update under way is finished and a
  /// checkpoint written. Says whether the end was reached.
  /// \throws std::runtime_error: too many updates in a row had a loss or gradient that is no finite number
  bool run(const std::atomic<bool>& interrupted);

 private:
  /// What the updates since the last line of the log add up to.
  struct Window {
    LossSum loss;
    TokenCount tokens;
    double gradient_norm = 0, seconds = 0;
    Index updates = 0;  // those skipped left out
  };

  // Beginning
  RunDirectory open(const std::filesystem::path& directory, const std::optional<RunDirectory>& begun);
  void load(const std::filesystem::path& checkpoint);
  void share();                // what the first rank begins with, all begin with
  void log_beginning(bool resumed) const;
  SentencePairs text_of(Index epoch);
  void go_to_progress(const std::filesystem::path& checkpoint);

  // Training
  void look_around(const std::atomic<bool>& interrupted);  // at clock and signals: ranks may see them differently
  void update();               // one step of the optimizer
  void skip(std::span<const BatchSequence::Batch> batches, const ShardedGradient::Step& step, bool loss_is_finite);
  void tell_of_skipped(std::span<const BatchSequence::Batch> batches, const ShardedGradient::Step& step,
                       bool loss_is_finite) const;  // and stop, if they are too many
  void report(bool due);       // due: a line in the log, and the window begins anew
  TrainingFigures training_figures() const;
  Index epoch() const;         // from 1; one that has just ended is still the current one
  double minutes() const;
  double minutes_left(double now) const;

  // Between updates: trainer_validation.cpp
  bool validation_is_due() const;
  DecodingSettings greedy() const;  // so validation translates, whatever the config says of the final search
  void validate();
  void validate_and_save();    // figures, samples, best, checkpoint
  void draw_curves() const;    // curves.svg
  void write_checkpoint(bool best);
  void average_checkpoints();  // the mean of the last so many, as a checkpoint of its own
  ValidationFigures figures_of(const Evaluation& evaluation) const;

  const Config config_;
  const Ranks& ranks_;
  TrainingText text_;
  BatchSequence batches_;
  const MemoryForecast memory_;
  Model<float> model_;
  ShardedGradient gradient_;
  Optimizer<float> optimizer_;
  const RunDirectory directory_;
  Progress progress_;
  Window window_;
  Index saved_update_ = -1;        // of the last checkpoint
  std::filesystem::path interim_;  // the checkpoint of an interrupt: it goes when the next one is written
  RunLog log_;
  MetricsFile metrics_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double minutes_before_ = 0;  // of the run, before it was resumed
  double minutes_seen_ = 0;    // when last looked around
  bool interrupt_seen_ = false;
};

}  // namespace glassformer
