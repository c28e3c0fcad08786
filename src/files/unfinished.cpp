#include "glassformer/files/unfinished.hpp"

#include <string>

namespace glassformer {
namespace {

namespace fs = std::filesystem;

}  // namespace

fs::path parent_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

fs::path without_trailing_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

fs::path hidden_sibling(const fs::path& path, std::string_view suffix) {
  return parent_of(path) / ("." + path.filename().string() + std::string(suffix));
}

bool is_unfinished_name(const fs::path& path) {
  const std::string name = without_trailing_slash(path).filename().string();
  const auto ends = [&](std::string_view ending) { return name.size() > 1 + ending.size() && name.ends_with(ending); };
  return name.starts_with('.') && (ends(kPartialSuffix) || ends(kReplacedSuffix));
}

fs::path finished(const fs::path& path) {
  fs::path names;
  for (const fs::path& name : path) {
    const std::string text = name.string();
    names /= !is_unfinished_name(name) ? text : text.substr(1, text.rfind('.') - 1);
  }
  return names;
}

}  // namespace glassformer
