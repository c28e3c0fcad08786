#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/run_directory.hpp"
#include "report/curves.hpp"
#include "report/figures.hpp"
#include "report/log.hpp"
#include "run/memory_forecast.hpp"
#include "run/training_text.hpp"
#include "training/trainer.hpp"

namespace glassformer {

/// Why the run has ended, in words; nothing while it continues.
std::optional<std::string> end_reached(const TrainingPlan& plan, const RunProgress& progress, double minutes);
/// The fraction of the run that is done, by its nearest limit, 0 to 1. `batches`: how many the current epoch has.
double fraction_done(const TrainingPlan& plan, const RunProgress& progress, Index batches, double minutes);

/// The figure by which the config chooses the best checkpoint.
double chosen_figure(Metric metric, const ValidationFigures& figures);
/// Whether these figures are better than the best ones so far. If the chosen figures are equal, the lower loss is
/// better. NaN is never better, nor is any figure with a loss that is not finite.
bool is_better(Metric metric, const ValidationFigures& figures, const RunProgress& progress);

/// One training run: a Trainer, its directory with log, metrics and checkpoints, its validations and its limits.
class TrainingRun {
 public:
  /// Starts a run in a new `directory`, or resumes the run `begun` there from its last checkpoint. The log also goes to
  /// `display`. All `ranks` need the same plan and text; only the first one gets a directory.
  /// \throws UserError: the directory holds another run; the text is not the one that the run started with, or not the
  ///         same on all ranks; the weights do not fit the model; the model needs more memory than there is
  TrainingRun(const TrainingPlan& plan, TrainingText training_text, const std::filesystem::path& directory,
              const std::optional<RunDirectory>& begun, DisplayTarget display = standard_error(),
              const Ranks& ranks = alone);

  /// Trains until the run reaches a limit set in the config, and returns 0. If `signal` becomes positive on a rank,
  /// finishes the update, writes a checkpoint, and returns the signal.
  /// \throws std::runtime_error: too many updates in a row had a loss or gradient that was not finite; the run's
  ///         directory has been moved (a checkpoint is then saved where it is now) or deleted
  int train(const std::atomic<int>& signal);

 private:
  /// Sums over the updates since the last log line. Skipped updates count only in `seconds`.
  struct Window {
    LossSum loss;
    TokenCount tokens;
    double gradient_norm = 0, seconds = 0;
    Index updates = 0;
  };

  // Start
  RunDirectory open(const std::filesystem::path& directory, const std::optional<RunDirectory>& begun);
  void load(const std::filesystem::path& checkpoint);
  void restore_best();
  void log_start(bool resumed) const;

  // Training
  void check_clock_and_signals(const std::atomic<int>& signal);  // all ranks then agree on both
  void update();
  void require_finite_weights() const;                       // throws at the first one that is not
  void handle_skipped(const Trainer::Update& update) const;  // logs it; throws if there were too many in a row
  void report(bool due);                                     // due: writes a log line and starts a new window
  TrainingFigures training_figures() const;
  MetricsFile metrics() const { return MetricsFile(directory_.file("metrics.jsonl")); }  // where it is now
  Index epoch() const;  // from 1; one that has just ended still counts as the current one
  double minutes() const;

  // Between updates: training_run_validation.cpp
  bool validation_is_due() const;
  Evaluation validate(const Model<float>& model) const;
  ValidationFigures figures_of(const Evaluation& evaluation) const;
  std::vector<SampleTranslation> samples_of(const Evaluation& evaluation) const;
  void remark_on(const Evaluation& evaluation);        // warns about what the figures do not show
  bool is_new_best(const ValidationFigures& figures);  // if so, remembers it
  void validate_and_save();                            // figures, samples, best, checkpoint
  void write_checkpoint(bool best);
  void write_checkpoint_here(bool best);
  void average_checkpoints();  // writes the mean of the last ones as a checkpoint of its own

  const TrainingPlan plan_;
  const Ranks& ranks_;
  TrainingText text_;
  const MemoryForecast memory_;
  Model<float> model_;
  Trainer trainer_;
  const RunDirectory directory_;
  RunProgress progress_;
  Window window_;
  Index cut_off_ = 0;                // translations of the last validation that ended at the length limit
  bool has_explained_bleu_ = false;  // why BLEU cannot rise
  Index saved_update_ = -1;          // of the last checkpoint
  std::filesystem::path interim_;    // name of one written when interrupted; the next one replaces it
  RunLog log_;
  CurvesPicture curves_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double minutes_before_ = 0;  // of the run, before it was resumed
  double minutes_seen_ = 0;    // at the last check_clock_and_signals()
  int signal_seen_ = 0;
};

}  // namespace glassformer
