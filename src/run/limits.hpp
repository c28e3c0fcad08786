#pragma once

#include <optional>
#include <string>

#include "checkpoint/checkpoint.hpp"
#include "config/config.hpp"
#include "report/figures.hpp"

/// When a run ends (after so many updates, epochs or minutes, or when it has run out of patience), and which of its
/// checkpoints is the best.
namespace glassformer {

/// What has ended the run, in words; nothing while it goes on. `max_updates` is the training's.
std::optional<std::string> end_reached(const RunSettings& run, Index max_updates, const RunProgress& progress,
                                       double minutes);

/// How much of the way to the nearest of the first three limits is done, 0 to 1.
/// \param batches  of the current epoch
double share_done(const RunSettings& run, Index max_updates, const RunProgress& progress, Index batches,
                  double minutes);

/// The figure by which the config chooses the best checkpoint.
double chosen_figure(Metric metric, const ValidationFigures& figures);

/// Whether `figure` is better than the best one so far. A NaN never is.
bool is_better(Metric metric, double figure, const RunProgress& progress);

}  // namespace glassformer
