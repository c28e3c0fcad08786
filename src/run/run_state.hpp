#pragma once

#include <chrono>

#include "glassformer/checkpoint/training_state.hpp"
#include "glassformer/machine/processes.hpp"
#include "glassformer/model/model.hpp"
#include "glassformer/run/training_plan.hpp"
#include "glassformer/run/training_text.hpp"
#include "glassformer/training/trainer.hpp"

namespace glassformer {

/// Measures how long a run has trained, in minutes.
class RunClock {
 public:
  /// Adds the minutes that a resumed run had trained before.
  void add(double minutes) { before_ += minutes; }
  double minutes() const {
    const std::chrono::duration<double, std::ratio<60>> now = std::chrono::steady_clock::now() - started_;
    return before_ + now.count();
  }

 private:
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double before_ = 0;
};

/// What a run trains, on what, and how far it has got. Each rank has one. It cannot move, because the trainer refers
/// to the other parts.
struct RunState {
  RunState(TrainingPlan of_run, TrainingText training_text, const Processes& all_ranks)
      : plan(std::move(of_run)),
        ranks(all_ranks),
        text(std::move(training_text)),
        model(plan.model, vocabulary_shape(text.tokenizers())),
        trainer(model, plan.training, text.corpus(), ranks) {}
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  const TrainingPlan plan;
  const Processes& ranks;
  const TrainingText text;
  Model<float> model;
  Trainer trainer;
  RunProgress progress;
  RunClock clock;
};

/// The last checkpoint that a run has written.
struct SavedCheckpoint {
  Index update = -1;              ///< -1: none yet
  std::filesystem::path interim;  ///< its name, if it was written because the run was interrupted; the next replaces it
};

}  // namespace glassformer
