#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/key.hpp"

namespace glassformer {

/// Fills the fields of `keys` from a YAML file, its base first, and then from the overrides (KEY=VALUE, the value is
/// YAML).
///
/// A file may begin with `base: FILE`: what it leaves out is as in that file, which may have a base, too. A relative
/// path is relative to the file in which it is written.
///
/// \return where each key was given, retired keys included: of several places, the one that counts
///
/// \throws UserError with file and line: unreadable file, text that is not YAML, unknown key, key given twice,
///         wrong type or value, retired key with another value than its default, required key missing, base that
///         has itself as a base
Places read_keys(const std::vector<Key>& keys, const std::filesystem::path& file,
                 const std::vector<std::string>& overrides);

/// The fields of `keys` as YAML, in the order of the keys, each with its comment and the default that it has in
/// `defaults`. The keys of one section are adjacent.
std::string write_keys(const std::vector<Key>& keys, const std::vector<Key>& defaults);

}  // namespace glassformer
