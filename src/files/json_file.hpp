#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "files/user_error.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// A JSON object in a file that another program has written. A mistake in it is a UserError that names file and key. A
/// key that is null counts as missing.
class JsonFile {
 public:
  /// \throws UserError: no such file, no JSON, no object
  explicit JsonFile(const std::filesystem::path& file);

  bool has(const std::string& key) const;
  const nlohmann::json& value(const std::string& key) const;  ///< \throws UserError: missing

  /// `otherwise`: for a missing key, which is a mistake without it.
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
