#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "glassformer/checkpoint/run_directory.hpp"
#include "glassformer/report/log.hpp"
#include "glassformer/run/training_run.hpp"

namespace glassformer {

/// Starts a run in a new `directory`, or resumes the run `begun` there from its last checkpoint. The log also goes to
/// `display`. All `ranks` need the same plan and text; only the first one gets a directory.
/// \throws UserError: the directory holds another run; the text is not the one that the run started with, or not the
///         same on all ranks; the weights do not fit the model; the model needs more memory than there is
std::unique_ptr<TrainingRun> start_run(const TrainingPlan& plan, TrainingText text,
                                       const std::filesystem::path& directory, const std::optional<RunDirectory>& begun,
                                       DisplayTarget display = standard_error(), const Processes& ranks = one_process);

}  // namespace glassformer
