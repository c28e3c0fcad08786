#pragma once

#include <filesystem>
#include <string_view>

namespace glassformer {

/// Files and directories that are being written or replaced have hidden names: .NAME.partial is not finished, or being
/// removed; .NAME.replaced is the older one, until the new one is in its place.
inline constexpr std::string_view kPartialSuffix = ".partial", kReplacedSuffix = ".replaced";

/// The hidden name of a path, with this suffix.
std::filesystem::path hidden_sibling(const std::filesystem::path& path, std::string_view suffix);
bool is_unfinished_name(const std::filesystem::path& path);  ///< .NAME.partial or .NAME.replaced
/// The path that an unfinished file or directory gets once it is finished.
std::filesystem::path finished(const std::filesystem::path& path);

std::filesystem::path parent_of(const std::filesystem::path& path);               ///< "." if it has none
std::filesystem::path without_trailing_slash(const std::filesystem::path& path);  ///< the same path

}  // namespace glassformer
