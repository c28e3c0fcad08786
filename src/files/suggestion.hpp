#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glassformer {

/// How many letters must be inserted, deleted or replaced to turn a into b, ignoring case (Levenshtein 1966).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate at the smallest distance, if `word` may be a typo for it. With `part`, compares part(candidate).
std::optional<std::string> nearest(const std::string& word, const std::vector<std::string>& candidates,
                                   std::string (*part)(const std::string&) = nullptr);

/// Joins words as a, b, c; shows only the beginning of a long list.
std::string listed(const std::vector<std::string>& words);

/// A hint for the unknown key `name`: the key that was meant, the section it belongs to, or the keys of that section.
/// `known` contains the dotted names of all sections and keys.
std::string suggest_key(const std::string& name, const std::vector<std::string>& known);

/// The names in a directory, sorted; none if there is no such directory. \throws as throw_disk_error() does
std::vector<std::string> names_in(const std::filesystem::path& directory);

/// A hint for a missing file: the nearest name, or what its directory contains.
std::string suggest_file(const std::filesystem::path& missing);

/// \throws UserError whose message starts with `place`: no such file, a directory, a pipe, no permission
void check_file(const std::string& place, const std::filesystem::path& file);

/// The text on one line (see visible), cut off after `longest` bytes.
std::string brief(std::string text, std::size_t longest = 80);

std::string section_of(const std::string& name);  ///< training.optimizer, of training.optimizer.beta1
std::string last_part(const std::string& name);   ///< beta1

}  // namespace glassformer
