#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>

#include "glassformer/config/key.hpp"

namespace glassformer {

/// The only document in a file.
/// \throws UserError naming file and line: no such file, not YAML, a tab before a key, more than one document
YAML::Node read_document(const std::filesystem::path& file);

/// The value of KEY=VALUE. \throws UserError that begins with `place`: not YAML
YAML::Node read_override_value(const std::string& text, const std::string& place);

/// The value of a node.
Value value_of(const YAML::Node& node);

int line_of(const YAML::Node& node);                                 ///< from 1
std::string at_line(const std::filesystem::path& file, Index line);  ///< FILE:LINE

}  // namespace glassformer
