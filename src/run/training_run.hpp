#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "glassformer/checkpoint/run_directory.hpp"
#include "glassformer/report/curves.hpp"
#include "glassformer/report/log.hpp"
#include "glassformer/report/metrics.hpp"
#include "glassformer/report/metrics_file.hpp"
#include "glassformer/run/run_state.hpp"

namespace glassformer {

/// One training run: a Trainer, its directory with log, metrics and checkpoints, its validations and its limits.
class TrainingRun {
 public:
  /// Call start_run, which prepares these parts. `saved`: the checkpoint from which the run was resumed.
  TrainingRun(std::unique_ptr<RunState> state, RunDirectory directory, std::unique_ptr<RunLog> log,
              SavedCheckpoint saved);

  /// Trains until the run reaches a limit set in the config, and returns 0. If `signal` becomes positive on a rank,
  /// finishes the update, writes a checkpoint, and returns the signal.
  /// \throws std::runtime_error: too many updates in a row had a loss or gradient that was not finite; an update made a
  ///         weight infinite or NaN; the run's directory was moved or deleted
  int train(const std::atomic<int>& signal);

 private:
  /// Sums over the updates since the last log line. Skipped updates count only in `seconds`.
  struct Window {
    LossSum loss;
    TokenCount tokens;
    double gradient_norm = 0, seconds = 0;
    Index updates = 0;
  };

  // Training
  void check_clock_and_signals(const std::atomic<int>& signal);  // all ranks then agree on both
  void update();
  void finish(const std::string& why);                       // last validation, mean of checkpoints
  void require_finite_weights() const;                       // throws at the first one that is not
  void handle_skipped(const Trainer::Update& update) const;  // logs it; throws if there were too many in a row
  void report(bool due);                                     // due: writes a log line and starts a new window
  TrainingMetrics training_metrics() const;
  MetricsFile metrics_file() const { return MetricsFile(directory_.file("metrics.jsonl")); }
  Index epoch() const;  // from 1; one that has just ended still counts as the current one
  double minutes() const { return state_->clock.minutes(); }

  // Between updates: training_run_validation.cpp
  bool validation_is_due() const;
  Evaluation validate(const Model<float>& model) const;
  ValidationMetrics metrics_of(const Evaluation& evaluation) const;
  std::vector<SampleTranslation> samples_of(const Evaluation& evaluation) const;
  void remark_on(const Evaluation& evaluation);        // warns about what the metrics do not show
  bool is_new_best(const ValidationMetrics& metrics);  // if so, remembers it
  void validate_and_save();                            // metrics, samples, best, checkpoint

  // training_run_checkpoints.cpp
  void write_checkpoint(bool best);
  void average_checkpoints();  // writes the mean of the last ones as a checkpoint of its own
  void prune_checkpoints() const;

  const std::unique_ptr<RunState> state_;
  // Its parts:
  const TrainingPlan& plan_;
  const Processes& ranks_;
  const TrainingText& text_;
  Model<float>& model_;
  Trainer& trainer_;
  RunProgress& progress_;

  const RunDirectory directory_;
  const std::unique_ptr<RunLog> log_;
  SavedCheckpoint saved_;
  CurvesPicture curves_;
  Window window_;
  Index cut_off_ = 0;                // translations of the last validation that ended at the length limit
  bool has_explained_bleu_ = false;  // why BLEU cannot rise
  double minutes_seen_ = 0;          // at the last check_clock_and_signals()
  int signal_seen_ = 0;
};

}  // namespace glassformer
