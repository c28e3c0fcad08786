#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "glassformer/config/key.hpp"

namespace glassformer {

/// Reports a broken rule between keys, at the key that broke it.
struct Blame {
  Places places;
  const std::filesystem::path& file;

  /// How a message begins: the place where these keys were given. If there are several places, --set comes before the
  /// file, and the file before its base.
  std::string at(const std::vector<std::string>& keys) const;
  /// \throws UserError
  [[noreturn]] void refuse(const std::vector<std::string>& keys, const std::string& why) const;
};

}  // namespace glassformer
