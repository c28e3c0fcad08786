#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "glassformer/config/config_file.hpp"
#include "glassformer/numerics/matrix.hpp"

/// What the files and directories of a run are called, and how to recognise those that this program wrote. The run's
/// directory is described in run_directory.hpp.
namespace glassformer {

// Names and beginnings of names:
inline constexpr std::string_view kLogs[] = {"train.log", "metrics.jsonl", "digests.jsonl"};  ///< we append to these
inline constexpr const char* kLinks[] = {"best", "last"};
inline constexpr std::string_view kStep = "step-", kAverage = "average-";  ///< followed by at least eight digits

/// The update in a name like step-00001200.
std::optional<Index> update_of(const std::string& name, std::string_view kind = kStep);

/// The checkpoints step-... (or average-...) of a run, sorted by update.
std::vector<std::filesystem::path> checkpoints_in(const std::filesystem::path& run, std::string_view kind = kStep);

/// Where a symbolic link points to; empty if there is none. \throws as throw_disk_error() does
std::filesystem::path link_target(const std::filesystem::path& path);

/// The checkpoint that a link `best` or `last` points to, under its own name; nothing if the link is missing or broken.
/// (If the run was copied without links, a directory is in the link's place; then that directory.)
std::optional<std::filesystem::path> target_of(const std::filesystem::path& link);

/// Whether a run can have this file before its first checkpoint.
bool is_early(const std::string& name);
/// Whether a run can have a file or directory of this name.
bool belongs_to_run(const std::string& name);

/// Whether this program wrote the file: a regular file that begins with kConfigBeginning.
bool is_config_of_run(const std::filesystem::path& file);
/// Whether the directory is a run: it has a config.yaml that this program wrote, and one of the other files of a run.
bool is_run(const std::filesystem::path& directory);
/// Whether a run wrote this config.yaml, log or curves.svg, or may write into it, because it is empty. Judges by the
/// name and the beginning.
bool is_own_file(const std::filesystem::path& file);
/// Whether a run has begun to write here: it has a log, and no log or curves.svg that this program did not write.
bool has_begun(const std::filesystem::path& directory);
/// Whether the run has ever had a checkpoint, even if all are gone: it has a link, or digests of an update.
bool has_trained(const std::filesystem::path& run);

/// Whether the run has a checkpoint from which it can be continued. If a process was killed while it replaced the only
/// one, that checkpoint is under a hidden name until the run is opened.
bool can_continue(const std::filesystem::path& run);

/// The checkpoint from which a run would be resumed: the one that `last` points to or, without that link, the latest.
std::optional<std::filesystem::path> last_checkpoint(const std::filesystem::path& run);

}  // namespace glassformer
