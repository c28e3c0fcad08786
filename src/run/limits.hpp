#pragma once

#include <optional>
#include <string>

#include "checkpoint/training_state.hpp"
#include "config/config.hpp"

/// When a run ends: after so many updates, epochs or minutes, or when it has run out of patience.
namespace glassformer {

/// What has ended the run, in words; nothing while it goes on.
std::optional<std::string> end_reached(const Config& config, const RunProgress& progress, double minutes);

/// How much of the way to the nearest of the first three limits is done, 0 to 1.
/// \param batches  of the current epoch
double share_done(const Config& config, const RunProgress& progress, Index batches, double minutes);

}  // namespace glassformer
