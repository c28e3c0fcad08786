#pragma once

#include <filesystem>

/// What must hold before a run may write into a directory, so that it destroys nothing that this program did not write
/// or that is still needed. All functions also throw as throw_disk_error() does.
namespace glassformer {

/// \throws UserError: the directory is a checkpoint, inside a checkpoint or in the place of one, holds a run that has
///         trained, or has other files
void require_place_for_new_run(const std::filesystem::path& directory);

/// \throws UserError: there is no run in the directory, or it is a checkpoint, or this program did not write its
///         config.yaml
void require_run(const std::filesystem::path& directory);

/// Checks a run that is locked, before it is continued. If best or last is a copy of a checkpoint, because the run was
/// copied without links, makes it a link again. If `last` is missing or broken, points it to the latest checkpoint, and
/// warns. Also warns if it leads to an earlier one.
/// \throws UserError: the run's checkpoints are missing, or something else is in their place or in that of a link
void prepare_checkpoints(const std::filesystem::path& run);

}  // namespace glassformer
