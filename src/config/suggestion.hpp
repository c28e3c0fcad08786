#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glassformer {

/// How many letters must be inserted, dropped or replaced to make one word of the other (Levenshtein 1966).
/// Capital and small letters count as the same.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate with the least distance, if it is near enough for a slip of the keyboard.
/// \param part  the part of a candidate that is compared; the whole of it unless given
std::optional<std::string> nearest(const std::string& word, const std::vector<std::string>& candidates,
                                   std::string (*part)(const std::string&) = nullptr);

/// What to tell someone who wrote the unknown key `name`: the key that was meant, the section it belongs to, or
/// else the keys that its section has. `known` are the names of all sections and keys, with dots.
std::string suggest_key(const std::string& name, const std::vector<std::string>& known);

/// What to tell someone who named a file that is not there: the nearest name, or what its directory holds.
std::string suggest_file(const std::filesystem::path& missing);

/// \throws UserError, beginning with `place`: no such file, a directory, a pipe, no permission
void check_file(const std::string& place, const std::filesystem::path& file);

/// The text on one line, and no longer than a message can bear.
std::string brief(std::string text, std::size_t longest = 80);

std::string section_of(const std::string& name);  ///< training.optimizer, of training.optimizer.beta1
std::string last_part(const std::string& name);   ///< beta1

}  // namespace glassformer
