#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "glassformer/files/descriptor.hpp"

namespace glassformer {

// A checkpoint may come from a stranger. Its files must be regular files (links are followed) whose data exists.
inline constexpr std::uintmax_t kLongestConfig = 1U << 20;        ///< bytes
inline constexpr std::uintmax_t kLongestTable = 1U << 28;         ///< bytes; for vocabularies and .spm files
inline constexpr std::uintmax_t kUnlimited = ~std::uintmax_t{0};  ///< for models and training states

/// A missing file passes. \throws UserError: not a file, over `longest` bytes, or mostly holes. Also as
/// throw_disk_error()
void check_checkpoint_file(const std::filesystem::path& file, std::uintmax_t longest);
/// These throw as check_checkpoint_file does, and for a missing file.
Descriptor open_checkpoint_file(const std::filesystem::path& file, std::uintmax_t longest = kUnlimited);
std::string read_checkpoint_file(const std::filesystem::path& file, std::uintmax_t longest = kLongestConfig);

}  // namespace glassformer
