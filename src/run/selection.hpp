#pragma once

#include "checkpoint/training_state.hpp"
#include "config/run_settings.hpp"
#include "report/figures.hpp"

/// Which checkpoint is the best.
namespace glassformer {

/// The figure that the config has chosen to decide.
double chosen_figure(Metric metric, const ValidationFigures& figures);

/// Whether `figure` is better than the best one so far. A NaN never is.
bool is_better(Metric metric, double figure, const RunProgress& progress);

}  // namespace glassformer
