#pragma once

#include <optional>
#include <string>

#include "glassformer/checkpoint/training_state.hpp"
#include "glassformer/run/training_plan.hpp"

namespace glassformer {

/// Why the run has ended, as text for the log; empty while it continues.
std::optional<std::string> end_reached(const TrainingPlan& plan, const RunProgress& progress, double minutes);
/// The fraction of the run that is done, by its nearest limit, 0 to 1. `batches`: how many the current epoch has.
double fraction_done(const TrainingPlan& plan, const RunProgress& progress, Index batches, double minutes);

}  // namespace glassformer
