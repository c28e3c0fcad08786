#pragma once

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
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

/// What a message says was found: 1.5, "abc", nothing, a list, a section.
std::string describe(const Value& value);

/// The number that a text is, all of it.
template <typename Number>
std::optional<Number> parse_number(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// "toy.yaml:31"
std::string at_line(const std::filesystem::path& file, int line);

/// The only document in a file. \throws UserError naming file and line
Value read_yaml_file(const std::filesystem::path& file);

/// `text` alone, the empty text included. \throws UserError beginning with `place`
Value read_yaml_value(const std::string& text, const std::string& place);

}  // namespace glassformer
