#include "glassformer/files/durable_directories.hpp"

#include <vector>

#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/durable_files.hpp"
#include "glassformer/files/file_calls.hpp"
#include "glassformer/files/unfinished.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

void sync_all(const fs::path& directory) {
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_directory() || entry.is_regular_file()) {
      sync(entry.path());
    }
  }
  sync(directory);
}

/// rename() cannot replace a directory that is not empty, so we move the older one aside first. If we are killed
/// in between, clear_unfinished_directories moves it back.
void swap_in(const fs::path& finished, const fs::path& directory) {
  const fs::path older = hidden_sibling(directory, kReplacedSuffix);
  remove_path(older);
  rename_path(directory, older);
  try {
    rename_path(finished, directory);
  } catch (...) {
    rename_path(older, directory);
    throw;
  }
  sync(parent_of(directory));
  remove_path(older);
}

}  // namespace

void write_directory_durably(const fs::path& target, const std::function<void(const fs::path&)>& fill) try {
  const fs::path directory = without_trailing_slash(target);
  const fs::path partial = hidden_sibling(directory, kPartialSuffix);
  if (!fs::create_directory(partial)) {
    throw UserError(partial.string() + ": this directory is in the way. If a program was killed while it was writing " +
                    directory.filename().string() + ", remove this directory.");
  }
  const RemoveUnfinished guard{partial};
  fill(partial);
  sync_all(partial);
  if (fs::exists(fs::symlink_status(directory))) {
    swap_in(partial, directory);
  } else {
    rename_path(partial, directory);
  }
  sync(parent_of(directory));
} catch (const fs::filesystem_error& error) {
  throw_disk_error("cannot be written", error.path1().empty() ? target : error.path1(), error.code());
}

void remove_directory_durably(const fs::path& target) {
  const fs::path directory = without_trailing_slash(target);
  const fs::path partial = hidden_sibling(directory, kPartialSuffix);
  remove_path(partial);
  rename_path(directory, partial);
  sync(parent_of(directory));
  remove_path(partial);
}

void clear_unfinished_directories(const fs::path& parent, const std::function<bool(const std::string&)>& is_ours) try {
  std::vector<fs::path> unfinished;
  for (const auto& entry : fs::directory_iterator(parent)) {
    const bool is_unfinished = is_unfinished_name(entry.path());
    if (is_unfinished && is_ours(finished(entry.path().filename()).string())) {
      unfinished.push_back(entry.path());
    }
  }
  for (const fs::path& path : unfinished) {
    const std::string name = path.filename().string();
    const fs::path swapped = parent / name.substr(1, name.size() - 1 - kReplacedSuffix.size());
    if (name.ends_with(kReplacedSuffix) && !fs::exists(fs::symlink_status(swapped))) {
      rename_path(path, swapped);
    } else {
      remove_path(path);
    }
  }
  sync(parent);
} catch (const fs::filesystem_error& error) {
  throw_disk_error("cannot be read", parent, error.code());
}

void replace_by_link_durably(const fs::path& directory, const fs::path& target) {
  const fs::path older = hidden_sibling(directory, kReplacedSuffix);
  remove_path(older);
  rename_path(directory, older);
  point_link_durably(directory, target);
  remove_path(older);
}

}  // namespace glassformer
