#pragma once

#include <filesystem>

namespace glassformer {

/// SHA256SUMS: what a checkpoint's files held when they were written. Without it, a bit that flips on a disk, or a copy
/// that broke off, would silently be another model. `sha256sum --check SHA256SUMS` reads the file, too.
///
/// Writes it for all files that lie in the directory. \throws UserError: something cannot be read or written
void write_checksums(const std::filesystem::path& directory);

/// Which files of a checkpoint are verified. To use a model without training it further, leave out its training state.
enum class Verify { all, but_training_state };

/// Reads the files again and compares. A directory without SHA256SUMS passes: other tools write none.
/// \throws UserError naming the file that has changed or is missing
void verify_checksums(const std::filesystem::path& directory, Verify which);

}  // namespace glassformer
