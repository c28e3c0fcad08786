#include "files/json_file.hpp"

#include <limits>

#include "files/lines.hpp"

namespace glassformer {

using nlohmann::json;

JsonFile::JsonFile(const std::filesystem::path& file) : file_(file) {
  try {
    json_ = json::parse(read_bytes(file));
  } catch (const json::exception& error) {
    throw UserError(file.string() + ": expected JSON, found something else or a damaged file (" + error.what() + ").");
  }
  if (!json_.is_object()) throw UserError(file.string() + ": expected a JSON object, found another JSON value.");
}

bool JsonFile::has(const std::string& key) const {
  const auto found = json_.find(key);
  return found != json_.end() && !found->is_null();
}

const json& JsonFile::value(const std::string& key) const {
  if (!has(key)) throw mistake(key, "a value");
  return json_.at(key);
}

Index JsonFile::whole(const std::string& key, std::optional<Index> default_value) const {
  if (default_value && !has(key)) return *default_value;
  const json& found = value(key);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  if (!found.is_number_unsigned() || found.get<std::uint64_t>() > kMost) throw mistake(key, "a whole number");
  return found.get<Index>();
}

double JsonFile::number(const std::string& key, std::optional<double> default_value) const {
  if (default_value && !has(key)) return *default_value;
  if (!value(key).is_number()) throw mistake(key, "a number");
  return value(key).get<double>();
}

bool JsonFile::flag(const std::string& key, std::optional<bool> default_value) const {
  if (default_value && !has(key)) return *default_value;
  if (!value(key).is_boolean()) throw mistake(key, "true or false");
  return value(key).get<bool>();
}

std::string JsonFile::text(const std::string& key, const std::optional<std::string>& default_value) const {
  if (default_value && !has(key)) return *default_value;
  if (!value(key).is_string()) throw mistake(key, "a string");
  return value(key).get<std::string>();
}

UserError JsonFile::mistake(const std::string& key, const std::string& expected) const {
  constexpr std::size_t kShown = 60;
  std::string found = has(key) ? json_.at(key).dump(-1, ' ', true, json::error_handler_t::replace) : "none";
  if (found.size() > kShown) found = found.substr(0, kShown) + "...";
  return UserError(file_.string() + ": " + key + ": expected " + expected + ", found " + found + ".");
}

}  // namespace glassformer
