#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/run_directory.hpp"
#include "report/figures.hpp"
#include "report/log.hpp"
#include "run/model_cost.hpp"
#include "run/training_text.hpp"
#include "training/trainer.hpp"

namespace glassformer {

/// What has ended the run, in words; nothing while it goes on.
std::optional<std::string> end_reached(const TrainingPlan& plan, const RunProgress& progress, double minutes);
/// How far the run is on its way to the nearest limit, 0 to 1. `batches` are those of the current epoch.
double share_done(const TrainingPlan& plan, const RunProgress& progress, Index batches, double minutes);

/// The figure by which the config chooses the best checkpoint.
double chosen_figure(Metric metric, const ValidationFigures& figures);
/// Whether `figure` is better than the best one so far. A NaN never is.
bool is_better(Metric metric, double figure, const RunProgress& progress);

/// One training run: a Trainer, its directory with log, metrics, curves and checkpoints, its validations and its
/// limits.
class TrainingRun {
 public:
  /// Begins a run in a new `directory`, or continues the one that was `begun` there from its last checkpoint. The log
  /// is shown at `display`. All `ranks` need the same plan and text; only the first one is given a directory.
  /// \throws UserError: the directory holds another run; the text is not the one that the run was begun with, or not
  ///         the same on all ranks; the weights are not those of this model; the model needs more memory than there is
  TrainingRun(const TrainingPlan& plan, TrainingText training_text, const std::filesystem::path& directory,
              const std::optional<RunDirectory>& begun, DisplayTarget display = standard_error(),
              const Ranks& ranks = alone);

  /// Trains to the end that the config sets, and returns true. If `interrupted` becomes true, finishes the update,
  /// writes a checkpoint, and returns false.
  /// \throws std::runtime_error: too many updates in a row had a loss or gradient that was not finite
  bool train(const std::atomic<bool>& interrupted);

 private:
  /// What the updates since the last line of the log add up to, without skipped ones.
  struct Window {
    LossSum loss;
    TokenCount tokens;
    double gradient_norm = 0, seconds = 0;
    Index updates = 0;
  };

  // Beginning
  RunDirectory open(const std::filesystem::path& directory, const std::optional<RunDirectory>& begun);
  void load(const std::filesystem::path& checkpoint);
  void log_beginning(bool resumed) const;
  SentencePairs text_of(Index epoch);

  // Training
  void look_around(const std::atomic<bool>& interrupted);  // at clock and signals: ranks may see them differently
  void update();
  void tell_of_skipped(const Trainer::Update& update) const;  // and stop if there were too many in a row
  void report(bool due);                                      // due: a line in the log, and the window begins anew
  TrainingFigures training_figures() const;
  Index epoch() const;  // from 1; one that has just ended is still the current one
  double minutes() const;

  // Between updates: training_run_validation.cpp
  bool validation_is_due() const;
  ValidationFigures validate(const Model<float>& model, std::vector<SampleTranslation>* samples = nullptr) const;
  bool is_new_best(const ValidationFigures& figures);  // if so, it is remembered
  void validate_and_save();                            // figures, samples, best, checkpoint
  void draw_curves() const;
  void write_checkpoint(bool best);
  void average_checkpoints();  // the mean of the last ones, as a checkpoint of its own

  const TrainingPlan plan_;
  const Ranks& ranks_;
  TrainingText text_;
  const MemoryForecast memory_;
  Model<float> model_;
  Trainer trainer_;
  const RunDirectory directory_;
  RunProgress progress_;
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
