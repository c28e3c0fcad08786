#include "glassformer/config/key.hpp"

#include <spdlog/fmt/fmt.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const Place& place, const std::string& expected, const Value& found,
                         const std::string& hint = "") {
  throw UserError(place.name + ": expected " + expected + ", found " + describe(found) + hint);
}

/// std::from_chars for the whole text; nothing if it is not a number that a double can hold. libc++ has from_chars only
/// for integers (before version 20). strtod accepts more: blanks, a plus sign, hexadecimal digits, and what the locale
/// writes for the decimal point.
std::optional<double> parse_double(std::string text) {
  const std::string point = std::localeconv()->decimal_point;
  if (text.empty() || std::isspace(static_cast<unsigned char>(text[0])) != 0 || text[0] == '+' ||
      text.find_first_of("xX") != std::string::npos || (point != "." && text.find(point) != std::string::npos)) {
    return std::nullopt;
  }
  if (const std::size_t dot = text.find('.'); dot != std::string::npos) {
    text.replace(dot, 1, point);
  }
  errno = 0;
  char* stop = nullptr;
  const double value = std::strtod(text.c_str(), &stop);
  const bool fits =
      errno != ERANGE || (value != 0 && std::isfinite(value));  // numbers below the smallest normal one do
  return fits && stop == text.c_str() + text.size() ? std::optional(value) : std::nullopt;
}

/// The number that the whole text stands for; nothing if it is not a number.
template <typename Number>
std::optional<Number> parse_number(const std::string& text) {
  if constexpr (std::is_same_v<Number, double>) {
    return parse_double(text);
  } else {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
  }
}

/// The boolean that a word means in YAML 1.1.
std::optional<bool> parse_bool(const std::string& word) {
  bool flag = false;
  return YAML::convert<bool>::decode(YAML::Node(word), flag) ? std::optional(flag) : std::nullopt;
}

/// Stores a number if `in_range` accepts it.
template <typename Number>
void read_number(Number& field, const Value& value, const Place& place, const std::string& expected, auto in_range) {
  const std::optional<Number> number = value.is_quoted ? std::nullopt : parse_number<Number>(value.text);
  if (!number || !in_range(*number)) {
    refuse(place, expected, value);
  }
  field = *number;
}

std::string text_in(const Value& value, const Place& place) {
  if (value.text.empty()) {
    refuse(place, "text", value);
  }
  return value.text;
}

/// The text, in quotes if YAML could read it as something else. A JSON string is valid YAML.
std::string as_yaml(const std::string& text) {
  static const std::string beginnings = "/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  static const std::string harmless = beginnings + "0123456789_.-";
  const bool plain = !text.empty() && beginnings.find(text[0]) != std::string::npos &&
                     text.find_first_not_of(harmless) == std::string::npos && text != "null" && text != "Null" &&
                     text != "NULL" && !parse_bool(text);
  return plain ? text : nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string describe(const Value& value) {
  if (value.kind == Value::Kind::list) {
    return "a list";
  }
  if (value.kind == Value::Kind::section) {
    return "a section";
  }
  if (value.kind == Value::Kind::nothing) {
    return "nothing";
  }
  return parse_number<double>(value.text) && !value.is_quoted ? value.text : "\"" + brief(value.text) + "\"";
}

Field::Field(Index& field, Index lowest, Index highest)
    : read([=, &field](const Value& value, const Place& place) {
        read_number(field, value, place, "an integer from " + std::to_string(lowest) + " to " + std::to_string(highest),
                    [=](Index number) { return number >= lowest && number <= highest; });
      }),
      write([&field] { return std::to_string(field); }) {}

Field::Field(double& field, const Range& range)
    : read([=, &field](const Value& value, const Place& place) {
        read_number(field, value, place, range.words,
                    [=](double number) { return std::isfinite(number) && range.holds(number); });
      }),
      write([&field] { return shortest(field); }),
      single_precision([=, &field] { return problem_in_single_precision(range, field); }) {}

Field::Field(std::uint64_t& field)
    : read([&field](const Value& value, const Place& place) {
        read_number(field, value, place, "an integer from 0 to " + std::to_string(UINT64_MAX),
                    [](std::uint64_t) { return true; });
      }),
      write([&field] { return std::to_string(field); }) {}

Field::Field(bool& field)
    : read([&field](const Value& value, const Place& place) {
        const std::optional<bool> flag = parse_bool(value.text);
        if (!flag || value.is_quoted) {
          refuse(place, "true or false", value);
        }
        field = *flag;
      }),
      write([&field] { return field ? "true" : "false"; }) {}

Field::Field(std::string& field, Empty empty)
    : read([=, &field](const Value& value, const Place& place) {
        const bool allowed = empty == Empty::allowed;
        if (allowed && value.kind != Value::Kind::text) {
          refuse(place, "a text, or \"\" for none", value);
        }
        field = allowed ? value.text : text_in(value, place);
      }),
      write([&field] { return as_yaml(field); }),
      empty_(empty) {}

Field::Field(std::vector<std::string>& field)
    : read([&field](const Value& value, const Place& place) {
        if (value.kind != Value::Kind::list) {
          refuse(place, "a list such as [a, b] or []", value);
        }
        field.clear();
        for (const Value& item : value.items) {
          field.push_back(text_in(item, place));
        }
      }),
      write([&field] {
        std::string list;
        for (const std::string& item : field) {
          list += (list.empty() ? "" : ", ") + as_yaml(item);
        }
        return "[" + list + "]";
      }) {}

Field::Field(fs::path& field, Empty empty)
    : read([=, &field](const Value& value, const Place& place) {
        const bool allowed = empty == Empty::allowed;
        if (allowed && value.kind != Value::Kind::text) {
          refuse(place, "a path, or \"\" for none", value);
        }
        if (allowed && value.text.empty()) {
          return field.clear();
        }
        field = fs::absolute(place.directory / text_in(value, place)).lexically_normal();
        if (!field.has_filename()) {
          field = field.parent_path();  // without a trailing slash
        }
      }),
      write([&field] { return as_yaml(field.string()); }),
      empty_(empty) {}

Field::Field(const std::vector<std::string>& words, const std::function<std::size_t()>& get,
             const std::function<void(std::size_t)>& set)
    : read([=](const Value& value, const Place& place) {
        std::string list;
        for (std::size_t i = 0; i < words.size(); ++i) {
          if (words[i] == value.text) {
            return set(i);
          }
          list += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
        }
        const auto near = nearest(value.text, words);
        refuse(place, list, value, near ? "; did you mean " + *near + "?" : "");
      }),
      write([=] { return words[get()]; }) {}

bool Field::has_value() const { return empty_ == Empty::allowed || write() != "\"\""; }

void RetiredKey::check(const Value& value, const Place& place) const {
  const auto same = [](const auto& x, const auto& y) { return x && x == y; };  // "no" means false, "1e3" means 1000
  if (value.kind == Value::Kind::text &&
      (value.text == default_value || same(parse_bool(value.text), parse_bool(default_value)) ||
       same(parse_number<double>(value.text), parse_number<double>(default_value)))) {
    return;
  }
  throw UserError(place.name + ": this key was removed in version 0.2; expected its default " + default_value +
                  ", found " + describe(value) + ". Delete the key; " + advice + ".");
}

}  // namespace glassformer
