#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "files/user_error.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// A JSON object in a file that another program has written. Every mistake in it is a UserError that names the file,
/// the key, what was expected and what was found. A key that is null counts as missing.
class JsonFile {
 public:
  /// \throws UserError: no such file, no JSON, no object
  explicit JsonFile(const std::filesystem::path& file);

  bool has(const std::string& key) const;
  const nlohmann::json& value(const std::string& key) const;  ///< \throws UserError: missing

  /// A missing key has `otherwise`, or is a mistake where there is none.
  Index whole(const std::string& key, std::optional<Index> otherwise = {}) const;  ///< from 0 to 2^31 - 1
  double number(const std::string& key, std::optional<double> otherwise = {}) const;
  bool flag(const std::string& key, std::optional<bool> otherwise = {}) const;
  std::string text(const std::string& key, const std::optional<std::string>& otherwise = {}) const;

  const nlohmann::json& object() const { return json_; }
  /// To be thrown: "FILE: KEY: expected EXPECTED, found ..."
  UserError mistake(const std::string& key, const std::string& expected) const;

 private:
  std::filesystem::path file_;
  nlohmann::json json_;
};

}  // namespace glassformer
