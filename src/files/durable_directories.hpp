#pragma once

#include <filesystem>
#include <functional>
#include <string>

/// Like durable_files.hpp, for whole directories. All functions throw as throw_disk_error() does.
namespace glassformer {

/// Calls `fill` to write files into a new directory, .NAME.partial, which then replaces `target`. If anything fails,
/// the new directory is removed, and an existing `target` stays as it was.
void write_directory_durably(const std::filesystem::path& target,
                             const std::function<void(const std::filesystem::path& unfinished)>& fill);

/// Removes a directory. If the process is killed halfway, `target` is either still complete or gone.
void remove_directory_durably(const std::filesystem::path& target);

/// For each NAME with is_ours(NAME), removes what a killed process left in `parent`, or undoes its unfinished swap.
void clear_unfinished_directories(const std::filesystem::path& parent,
                                  const std::function<bool(const std::string& name)>& is_ours);

/// Replaces a directory with a symbolic link. If the process is killed in between, clear_unfinished_directories moves
/// the directory back.
void replace_by_link_durably(const std::filesystem::path& directory, const std::filesystem::path& target);

}  // namespace glassformer
