#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// Parses JSON. Brackets may be nested at most 64 levels deep, because the library writes values recursively.
/// \throws UserError whose message starts with `place`: not JSON, or nested too deeply
nlohmann::json parse_json(const std::string& text, const std::string& place);

/// A JSON object in a file written by another program. A mistake in it throws a UserError that names file and key. A
/// key whose value is null counts as missing.
class JsonFile {
 public:
  /// \throws UserError like read_checkpoint_file; the file is not JSON, or not an object
  explicit JsonFile(const std::filesystem::path& file, std::uintmax_t longest = kLongestConfig);

  bool has(const std::string& key) const;
  const nlohmann::json& value(const std::string& key) const;  ///< \throws UserError: missing

  /// `default_value`: for a missing key. Without a default, a missing key is a mistake.
  Index integer(const std::string& key, std::optional<Index> default_value = {}) const;  ///< from 0 to 2^31 - 1
  double number(const std::string& key, std::optional<double> default_value = {}) const;
  bool flag(const std::string& key, std::optional<bool> default_value = {}) const;
  std::string text(const std::string& key, const std::optional<std::string>& default_value = {}) const;

  const nlohmann::json& object() const { return json_; }
  /// Makes the error to throw: "FILE: KEY: expected EXPECTED, found ..."
  UserError mistake(const std::string& key, const std::string& expected) const;

 private:
  std::filesystem::path file_;
  nlohmann::json json_;
};

}  // namespace glassformer
