#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/key.hpp"

namespace glassformer {

/// Puts into the fields of `keys` what a YAML file says, and then the overrides (KEY=VALUE, the value is YAML).
///
/// \return where each key was given, retired keys included; an override takes the place of the file
///
/// \throws UserError with file and line: unreadable file, text that is no YAML, unknown key, key given twice,
///         wrong type or value, retired key with another value than its default, required key missing
Places read_yaml(const std::vector<Key>& keys, const std::filesystem::path& file,
                 const std::vector<std::string>& overrides);

/// The fields of `keys` as YAML, in the order of the keys; those of one section stand together.
std::string write_yaml(const std::vector<Key>& keys);

}  // namespace glassformer
