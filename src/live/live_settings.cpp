#include "glassformer/live/live_settings.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "glassformer/session/checks.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

template <std::size_t size>
using Names = std::array<const char*, size>;

/// Describes one key as JSON.
struct Describe {
  Json& list;

  void operator()(const std::string& key, const std::string& meaning, Index value, Index least, Index most) const {
    add(key, meaning, std::to_string(value), {{"kind", "integer"}, {"least", least}, {"most", most}});
  }
  void operator()(const std::string& key, const std::string& meaning, double value, const Range& range) const {
    add(key, meaning, shortest(value), {{"kind", "number"}, {"words", range.words}});
  }
  void operator()(const std::string& key, const std::string& meaning, std::uint64_t value) const {
    add(key, meaning, std::to_string(value), {{"kind", "integer"}, {"least", 0}});
  }
  void operator()(const std::string& key, const std::string& meaning, bool value) const {
    add(key, meaning, value ? "true" : "false", {{"kind", "switch"}});
  }
  template <class Enum, std::size_t size>
  void operator()(const std::string& key, const std::string& meaning, Enum value, const Names<size>& names) const {
    add(key, meaning, names[static_cast<std::size_t>(value)], {{"kind", "choice"}, {"choices", names}});
  }

 private:
  void add(const std::string& key, const std::string& meaning, const std::string& value, const Json& accepts) const {
    Json setting{{"key", key}, {"meaning", meaning}, {"value", value}};
    setting.update(accepts);
    list.push_back(std::move(setting));
  }
};

template <class Number>
std::optional<Number> parse_whole(const std::string& text) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// A decimal number; strtod also accepts blanks, signs, hexadecimal digits, "inf" and "nan".
std::optional<double> parse_decimal(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string::npos || text[0] == '+') {
    return std::nullopt;
  }
  char* stop = nullptr;
  const double number = std::strtod(text.c_str(), &stop);
  return stop == text.c_str() + text.size() && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// Reads one key if it has the name that is looked for.
struct Read {
  const std::string& wanted;
  const std::string& text;
  bool& found;

  void operator()(const std::string& key, const std::string&, Index& field, Index least, Index most) const {
    if (is(key)) {
      const auto number = parse_whole<Index>(text);
      require(number && least <= *number && *number <= most,
              "an integer from " + std::to_string(least) + " to " + std::to_string(most));
      field = *number;
    }
  }
  void operator()(const std::string& key, const std::string&, double& field, const Range& range) const {
    if (is(key)) {
      const auto number = parse_decimal(text);
      require(number && range.holds(*number), range.words);
      field = *number;
    }
  }
  void operator()(const std::string& key, const std::string&, std::uint64_t& field) const {
    if (is(key)) {
      const auto number = parse_whole<std::uint64_t>(text);
      require(number.has_value(), "an integer from 0 to " + std::to_string(UINT64_MAX));
      field = *number;
    }
  }
  void operator()(const std::string& key, const std::string&, bool& field) const {
    if (is(key)) {
      require(text == "true" || text == "false", "true or false");
      field = text == "true";
    }
  }
  template <class Enum, std::size_t size>
  void operator()(const std::string& key, const std::string&, Enum& field, const Names<size>& names) const {
    if (!is(key)) {
      return;
    }
    std::string expected;
    for (std::size_t i = 0; i < size; ++i) {
      if (text == names[i]) {
        field = static_cast<Enum>(i);
        return;
      }
      expected += (i == 0 ? "" : i + 1 < size ? ", " : " or ") + std::string(names[i]);
    }
    require(false, expected);
  }

 private:
  bool is(const std::string& key) const {
    found = found || key == wanted;
    return key == wanted;
  }
  void require(bool condition, const std::string& expected) const {
    if (!condition) {
      const std::string shown = parse_decimal(text) ? text : "\"" + text + "\"";
      refuse(wanted + ": expected " + expected + ", found " + shown);
    }
  }
};

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? ""
                                         : std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

}  // namespace

Json settings_json(const LiveSettings& settings) {
  Json list = Json::array();
  LiveSettings copy = settings;  // for_each_key takes what it may change
  for_each_key(copy, Describe{list});
  return list;
}

LiveSettings read_settings(std::string_view lines, LiveSettings settings) {
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (trimmed(line).empty()) {
      continue;
    }
    const auto colon = line.find(':');
    const std::string key = trimmed(line.substr(0, colon));
    const std::string value = colon == std::string_view::npos ? "" : trimmed(line.substr(colon + 1));
    bool found = false;
    for_each_key(settings, Read{key, value, found});
    if (!found) {
      refuse(key + ": there is no such setting in a page");
    }
  }
  return settings;
}

}  // namespace glassformer
