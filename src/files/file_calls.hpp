#pragma once

#include <sys/types.h>

#include <filesystem>

namespace glassformer {

// Calls of the file system that throw as throw_disk_error() does.

void sync(const std::filesystem::path& path);  ///< writes a file or a directory to disk
void rename_path(const std::filesystem::path& from, const std::filesystem::path& to);  ///< replaces a file
void remove_path(const std::filesystem::path& path);  ///< and everything in it; it need not exist

/// Opens a new file; a link is not followed. Returns -1 on failure, as open() does.
int create_file(const std::filesystem::path& file, mode_t mode);

/// Removes `path` when the scope ends, if it still exists. Does not throw.
struct RemoveUnfinished {
  const std::filesystem::path& path;
  ~RemoveUnfinished();
};

}  // namespace glassformer
