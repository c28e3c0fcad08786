#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace glassformer {

/// The SHA-256 (FIPS 180-4) of a file or of bytes, in hexadecimal digits.
std::string sha256_of(const std::filesystem::path& file);
std::string sha256_of(std::span<const std::byte> bytes);

/// Writes SHA256SUMS for all files in the directory. \throws as throw_disk_error() does
void write_checksums(const std::filesystem::path& directory);

/// Which files to verify. The training state is only needed for resuming a run.
enum class Verify { all, but_training_state };

/// Recomputes the checksums and compares them. A directory without SHA256SUMS passes, because other tools write none.
/// Each of the checkpoint's files must be listed.
/// \return the directory   \throws UserError naming the file that has changed, is missing or is not listed
std::filesystem::path verify_checksums(const std::filesystem::path& directory, Verify which);

/// The file name in a line of SHA256SUMS; "" if there is none.
std::string name_in_checksum_line(std::string_view line);

}  // namespace glassformer
