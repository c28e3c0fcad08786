#include "glassformer/files/json_file.hpp"

#include <limits>

#include "glassformer/files/suggestion.hpp"

namespace glassformer {

using nlohmann::json;

json parse_json(const std::string& text, const std::string& place) try {
  int depth = 0;  // json::parse could count it, but in quadratic time
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      in_string = !in_string;
    }
    if (c == '\\' && in_string) {
      ++i;  // the next character is escaped
    }
    if (!in_string) {
      depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    }
    if (depth > 64) {
      throw UserError(place +
                      ": expected JSON with at most 64 levels of nested brackets, found more; use another file.");
    }
  }
  return json::parse(text);
} catch (const json::exception& error) {
  throw UserError(place + ": expected JSON, found something else or a damaged file (" + brief(error.what(), 200) +
                  "); use another file.");
}

JsonFile::JsonFile(const std::filesystem::path& file, std::uintmax_t longest)
    : file_(file), json_(parse_json(read_checkpoint_file(file, longest), file.string())) {
  if (!json_.is_object()) {
    throw UserError(file.string() + ": expected a JSON object, found another JSON value.");
  }
}

bool JsonFile::has(const std::string& key) const {
  const auto found = json_.find(key);
  return found != json_.end() && !found->is_null();
}

const json& JsonFile::value(const std::string& key) const {
  if (!has(key)) {
    throw mistake(key, "a value");
  }
  return json_.at(key);
}

Index JsonFile::integer(const std::string& key, std::optional<Index> default_value) const {
  if (default_value && !has(key)) {
    return *default_value;
  }
  const json& found = value(key);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  if (!found.is_number_unsigned() || found.get<std::uint64_t>() > kMost) {
    throw mistake(key, "an integer");
  }
  return found.get<Index>();
}

double JsonFile::number(const std::string& key, std::optional<double> default_value) const {
  if (default_value && !has(key)) {
    return *default_value;
  }
  if (!value(key).is_number()) {
    throw mistake(key, "a number");
  }
  return value(key).get<double>();
}

bool JsonFile::flag(const std::string& key, std::optional<bool> default_value) const {
  if (default_value && !has(key)) {
    return *default_value;
  }
  if (!value(key).is_boolean()) {
    throw mistake(key, "true or false");
  }
  return value(key).get<bool>();
}

std::string JsonFile::text(const std::string& key, const std::optional<std::string>& default_value) const {
  if (default_value && !has(key)) {
    return *default_value;
  }
  if (!value(key).is_string()) {
    throw mistake(key, "a string");
  }
  return value(key).get<std::string>();
}

UserError JsonFile::mistake(const std::string& key, const std::string& expected) const {
  const std::string found = has(key) ? json_.at(key).dump(-1, ' ', true, json::error_handler_t::replace) : "none";
  return UserError(file_.string() + ": " + brief(key) + ": expected " + expected + ", found " + brief(found, 60) + ".");
}

}  // namespace glassformer
