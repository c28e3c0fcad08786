#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "glassformer/files/lines.hpp"

namespace glassformer {

/// All lines of a file. \throws UserError as LineReader does
inline std::vector<std::string> read_lines(const std::filesystem::path& file) {
  LineReader reader(file);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace glassformer
