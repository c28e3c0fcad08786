#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace glassformer {

/// A value in a YAML text.
struct Value {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  int line = 1;
  std::string text = {};  ///< of a scalar
  bool quoted = false;    ///< a scalar in quotes is text, even if it looks like a number
  /// Of a list, or of a map: key, value, key, value... Aliases share them, so a few of them cannot fill the memory.
  std::shared_ptr<const std::vector<Value>> items = {};
};

/// "toy.yaml:31"
std::string at_line(const std::filesystem::path& file, int line);

/// The only document in a file. \throws UserError naming file and line
Value read_yaml_file(const std::filesystem::path& file);

/// `text` alone, the empty text included. \throws UserError beginning with `place`
Value read_yaml_value(const std::string& text, const std::string& place);

}  // namespace glassformer
