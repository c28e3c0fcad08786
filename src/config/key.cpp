#include "config/key.hpp"

#include <yaml-cpp/yaml.h>

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "config/suggestion.hpp"
#include "user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const Place& place, const std::string& expected, const YAML::Node& found,
                         const std::string& hint = "") {
  throw UserError(place.name + ": expected " + expected + ", found " + describe(found) + hint);
}

bool is_quoted(const YAML::Node& node) { return node.Tag() == "!"; }  // so yaml-cpp marks "1" against 1

template <typename Number>
std::optional<Number> parse(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

template <typename Number>
std::string shortest(Number value) {  // the fewest digits that read back to the same bits
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

/// \param in_range says whether a number is allowed
template <typename Number, typename Test>
Key numeric(std::string name, Number& field, const std::string& expected, Test in_range) {
  return {std::move(name),
          [&field, expected, in_range](const YAML::Node& node, const Place& place) {
            std::optional<Number> value;
            if (node.IsScalar() && !is_quoted(node)) value = parse<Number>(node.Scalar());
            if (!value || !in_range(*value)) refuse(place, expected, node);
            field = *value;
          },
          [&field] { return shortest(field); }};
}

std::string text_of(const YAML::Node& node, const Place& place) {
  if (!node.IsScalar() || node.Scalar().empty()) refuse(place, "text", node);
  return node.Scalar();
}

/// In quotes wherever a reader of YAML could take the text for something else. A JSON string is YAML.
std::string as_yaml(const std::string& text) {
  static const std::string beginnings = "/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  static const std::string harmless = beginnings + "0123456789_.-";
  bool truth = false;
  const bool plain = !text.empty() && beginnings.find(text[0]) != std::string::npos &&
                     text.find_first_not_of(harmless) == std::string::npos && !YAML::Load(text).IsNull() &&
                     !YAML::convert<bool>::decode(YAML::Node(text), truth);
  return plain ? text : nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

fs::path absolute(const std::string& text, const Place& place) {
  const fs::path path = fs::absolute(place.directory / text).lexically_normal();
  return path.has_filename() ? path : path.parent_path();  // without the slash at the end
}

}  // namespace

Key whole(std::string name, Index& field, Index lowest, Index highest) {
  return numeric(std::move(name), field,
                 "a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest),
                 [lowest, highest](Index value) { return value >= lowest && value <= highest; });
}

Key whole(std::string name, std::uint64_t& field) {
  return numeric(std::move(name), field, "a whole number from 0 to " + std::to_string(UINT64_MAX),
                 [](std::uint64_t) { return true; });
}

Key number(std::string name, double& field, Range range) {
  return numeric(std::move(name), field, range.words,
                 [range](double value) { return std::isfinite(value) && range.holds(value); });
}

Key flag(std::string name, bool& field) {
  return {std::move(name),
          [&field](const YAML::Node& node, const Place& place) {
            if (!node.IsScalar() || is_quoted(node) || !YAML::convert<bool>::decode(node, field))
              refuse(place, "true or false", node);
          },
          [&field] { return std::string(field ? "true" : "false"); }};
}

Key text(std::string name, std::string& field) {
  return {std::move(name),
          [&field](const YAML::Node& node, const Place& place) { field = text_of(node, place); },
          [&field] { return as_yaml(field); }};
}

Key texts(std::string name, std::vector<std::string>& field) {
  return {std::move(name),
          [&field](const YAML::Node& node, const Place& place) {
            if (!node.IsSequence()) refuse(place, "a list such as [a, b] or []", node);
            field.clear();
            for (const YAML::Node& item : node) field.push_back(text_of(item, place));
          },
          [&field] {
            std::string list;
            for (const std::string& item : field) list += (list.empty() ? "" : ", ") + as_yaml(item);
            return "[" + list + "]";
          }};
}

Key path(std::string name, fs::path& field) {
  return {
      std::move(name),
      [&field](const YAML::Node& node, const Place& place) { field = absolute(text_of(node, place), place); },
      [&field] { return as_yaml(field.string()); }};
}

Key path_or_none(std::string name, fs::path& field) {
  return {std::move(name),
          [&field](const YAML::Node& node, const Place& place) {
            if (!node.IsScalar()) refuse(place, "a path, or \"\" for none", node);
            field = node.Scalar().empty() ? fs::path() : absolute(node.Scalar(), place);
          },
          [&field] { return as_yaml(field.string()); }};
}

std::size_t choose(const YAML::Node& node, const Place& place, const std::vector<std::string>& words) {
  const std::string word = node.IsScalar() ? node.Scalar() : "";
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return i;
    list += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
  }
  const auto near = nearest(word, words);
  refuse(place, list, node, near ? "; did you mean " + *near + "?" : "");
}

std::string describe(const YAML::Node& node) {
  if (node.IsSequence()) return "a list";
  if (node.IsMap()) return "a section";
  if (!node.IsScalar()) return "nothing";
  const std::string& text = node.Scalar();
  if (parse<double>(text) && !is_quoted(node)) return text;
  return "\"" + brief(text) + "\"";
}

}  // namespace glassformer
