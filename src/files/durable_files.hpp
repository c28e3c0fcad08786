#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "glassformer/files/descriptor.hpp"

/// Writes files so that, after a crash, a full disk or a power failure, each file is either the old version or the new
/// one, never something in between. To do this, we write under another name, fsync, rename, and fsync the directory.
/// All functions throw as throw_disk_error() does.
namespace glassformer {

/// Writes or replaces a file.
void write_file_durably(const std::filesystem::path& file, const std::vector<Bytes>& parts);
void write_file_durably(const std::filesystem::path& file, std::string_view text);

/// Makes the symbolic link point to `target`, relative to the link's directory. Replaces a link or a file; a directory
/// in the link's place is an error.
void point_link_durably(const std::filesystem::path& link, const std::filesystem::path& target);

}  // namespace glassformer
