#include "config/key.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "config/suggestion.hpp"
#include "files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const Place& place, const std::string& expected, const Value& found,
                         const std::string& hint = "") {
  throw UserError(place.name + ": expected " + expected + ", found " + describe(found) + hint);
}

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

/// The truth value that YAML 1.1 sees in a word.
std::optional<bool> parse_truth(std::string word) {
  static const std::map<std::string, bool> kWords = {{"true", true},   {"yes", true}, {"on", true},   {"y", true},
                                                     {"false", false}, {"no", false}, {"off", false}, {"n", false}};
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found = kWords.find(word);
  return found == kWords.end() ? std::nullopt : std::optional(found->second);
}

/// \param in_range says whether a number is allowed
template <typename Number, typename Test>
Number number_in(const Value& value, const Place& place, const std::string& expected, Test in_range) {
  std::optional<Number> number;
  if (!value.quoted) number = parse<Number>(value.text);
  if (!number || !in_range(*number)) refuse(place, expected, value);
  return *number;
}

std::string text_in(const Value& value, const Place& place) {
  if (value.text.empty()) refuse(place, "text", value);
  return value.text;
}

fs::path path_in(const std::string& text, const Place& place) {
  const fs::path path = fs::absolute(place.directory / text).lexically_normal();
  return path.has_filename() ? path : path.parent_path();  // without the slash at the end
}

/// The position of the word.
std::size_t word_in(const Value& value, const Place& place, const std::vector<std::string>& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == value.text) return i;
    list += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
  }
  const auto near = nearest(value.text, words);
  refuse(place, list, value, near ? "; did you mean " + *near + "?" : "");
}

/// Puts a value into a field; one function for each type of field.
struct Reader {
  const Value& value;
  const Place& place;

  void operator()(const Whole& key) const {
    const auto in_range = [&](Index number) { return number >= key.lowest && number <= key.highest; };
    *key.field = number_in<Index>(
        value, place, "a whole number from " + std::to_string(key.lowest) + " to " + std::to_string(key.highest),
        in_range);
  }
  void operator()(const Number& key) const {
    const auto in_range = [&](double number) { return std::isfinite(number) && key.range.holds(number); };
    *key.field = number_in<double>(value, place, key.range.words, in_range);
  }
  void operator()(const Choice& key) const { key.set(word_in(value, place, key.words)); }
  void operator()(const PathOrNone& key) const {
    if (value.kind != Value::Kind::scalar) refuse(place, "a path, or \"\" for none", value);
    *key.field = value.text.empty() ? fs::path() : path_in(value.text, place);
  }
  void operator()(std::uint64_t* field) const {
    *field = number_in<std::uint64_t>(value, place, "a whole number from 0 to " + std::to_string(UINT64_MAX),
                                      [](std::uint64_t) { return true; });
  }
  void operator()(bool* field) const {
    const std::optional<bool> truth = parse_truth(value.text);
    if (!truth || value.quoted) refuse(place, "true or false", value);
    *field = *truth;
  }
  void operator()(std::string* field) const { *field = text_in(value, place); }
  void operator()(std::vector<std::string>* field) const {
    if (value.kind != Value::Kind::list) refuse(place, "a list such as [a, b] or []", value);
    field->clear();
    for (const Value& item : *value.items) field->push_back(text_in(item, place));
  }
  void operator()(fs::path* field) const { *field = path_in(text_in(value, place), place); }
};

/// In quotes if YAML could take the text for something else. A JSON string is YAML.
std::string as_yaml(const std::string& text) {
  static const std::string beginnings = "/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  static const std::string harmless = beginnings + "0123456789_.-";
  const bool plain = !text.empty() && beginnings.find(text[0]) != std::string::npos &&
                     text.find_first_not_of(harmless) == std::string::npos && text != "null" && text != "Null" &&
                     text != "NULL" && !parse_truth(text);
  return plain ? text : nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Writes a field as YAML.
struct Writer {
  std::string operator()(const Whole& key) const { return shortest(*key.field); }
  std::string operator()(const Number& key) const { return shortest(*key.field); }
  std::string operator()(const Choice& key) const { return key.words[key.get()]; }
  std::string operator()(const PathOrNone& key) const { return as_yaml(key.field->string()); }
  std::string operator()(const std::uint64_t* field) const { return shortest(*field); }
  std::string operator()(const bool* field) const { return *field ? "true" : "false"; }
  std::string operator()(const std::string* field) const { return as_yaml(*field); }
  std::string operator()(const std::vector<std::string>* field) const {
    std::string list;
    for (const std::string& item : *field) list += (list.empty() ? "" : ", ") + as_yaml(item);
    return "[" + list + "]";
  }
  std::string operator()(const fs::path* field) const { return as_yaml(field->string()); }
};

}  // namespace

void Key::read(const Value& value, const Place& place) const { std::visit(Reader{value, place}, field); }

std::string Key::write() const { return std::visit(Writer(), field); }

bool Key::has_value() const {
  if (const auto* const text = std::get_if<std::string*>(&field)) return !(*text)->empty();
  if (const auto* const path = std::get_if<fs::path*>(&field)) return !(*path)->empty();
  return true;
}

void RetiredKey::check(const Value& value, const Place& place) const {
  const auto same = [](const auto& x, const auto& y) { return x && x == y; };  // no and false; 1000 and 1e3
  if (value.kind == Value::Kind::scalar &&
      (value.text == default_value || same(parse_truth(value.text), parse_truth(default_value)) ||
       same(parse<double>(value.text), parse<double>(default_value))))
    return;
  throw UserError(place.name + ": this key was removed in version 0.2; expected its default " + default_value +
                  ", found " + describe(value) + ". Delete the key; " + advice + ".");
}

std::string describe(const Value& value) {
  if (value.kind == Value::Kind::list) return "a list";
  if (value.kind == Value::Kind::map) return "a section";
  if (value.kind == Value::Kind::null) return "nothing";
  return parse<double>(value.text) && !value.quoted ? value.text : "\"" + brief(value.text) + "\"";
}

}  // namespace glassformer
