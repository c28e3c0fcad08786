#include "glassformer/checkpoint/run_directory.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/run_checks.hpp"
#include "glassformer/checkpoint/run_names.hpp"
#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/durable_directories.hpp"
#include "glassformer/files/durable_files.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

/// Whether the open directory is the one at this path.
bool is_at(const Descriptor& opened, const fs::path& path) {
  struct stat a {};
  struct stat b {};
  return ::fstat(opened.number(), &a) == 0 && ::stat(path.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

}  // namespace

RunDirectory RunDirectory::create(const fs::path& path, const WriteConfig& write_config) {
  if (path.empty()) {
    return {};
  }
  require_place_for_new_run(path);
  std::error_code reason;
  fs::create_directories(path, reason);
  if (reason) {
    throw_disk_error("the run directory cannot be created", path, reason);
  }
  RunDirectory run(path);
  // The log comes first: a config.yaml without a log is not a run, but a config that was copied.
  Descriptor(path / "train.log", O_WRONLY | O_CREAT | O_NOFOLLOW).close();
  run.store_config(write_config);
  return run;
}

RunDirectory RunDirectory::resume(const fs::path& path) {
  require_run(path);
  RunDirectory run(path);
  prepare_checkpoints(path);
  return run;
}

RunDirectory::RunDirectory(const fs::path& path)
    : path_(path), opened_(std::make_shared<const Descriptor>(path, O_RDONLY | O_DIRECTORY)), lock_(path) {
  if (!lock_->is_held()) {
    spdlog::warn("{}: this file system has no locks: make sure that no other process trains in this directory",
                 path.string());
  }
  for (const std::string_view name : kLogs) {  // a link could point anywhere
    const fs::file_status status = fs::symlink_status(path / name);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
      throw UserError((path / name).string() +
                      ": expected a file, found a link, a pipe, a device or a directory; move it elsewhere.");
    }
  }
  clear_unfinished_directories(path, belongs_to_run);
  require_links();
}

/// A run needs the links best and last. Finds out before training whether the file system has links.
void RunDirectory::require_links() const {
  const fs::path probe = path_ / ".link.partial";
  std::error_code reason;
  fs::remove(probe, reason);
  fs::create_symlink("last", probe, reason);
  const bool has_none = reason == std::errc::operation_not_permitted || reason == std::errc::operation_not_supported ||
                        reason == std::errc::not_supported || reason == std::errc::function_not_supported;
  if (has_none) {
    throw UserError(
        path_.string() +
        ": this file system has no symbolic links, which a run needs for best and last. Choose a directory on "
        "another file system with --output.");
  }
  if (reason) {
    throw_disk_error("cannot be written", probe, reason);
  }
  fs::remove(probe, reason);
}

void RunDirectory::require_in_place() const {
  if (opened_ && !is_at(*opened_, path_)) {
    throw std::runtime_error(path_.string() +
                             ": this run's directory was moved or deleted during training, so training stops. If you " +
                             "moved it, --resume continues from its last checkpoint; give --output its new path.");
  }
}

fs::path RunDirectory::path() const {
  require_in_place();
  return path_;
}

void RunDirectory::store_config(const WriteConfig& write_config) const {
  if (!path_.empty()) {
    write_config(path());
  }
}

fs::path RunDirectory::checkpoint(Index update) const { return path() / fmt::format("{}{:08}", kStep, update); }
fs::path RunDirectory::average(Index update) const { return path() / fmt::format("{}{:08}", kAverage, update); }
std::vector<fs::path> RunDirectory::checkpoints() const { return checkpoints_in(path()); }
std::optional<fs::path> RunDirectory::last() const { return path_.empty() ? std::nullopt : last_checkpoint(path()); }

void RunDirectory::point(const char* link, const fs::path& checkpoint) const {
  point_link_durably(path() / link, checkpoint.filename());
}

void RunDirectory::remove(const fs::path& checkpoint) const {
  const std::vector<std::string> others = other_files_in(checkpoint);
  const bool is_removable = ::access(checkpoint.c_str(), W_OK) == 0;
  if (others.empty() && is_removable) {
    return remove_directory_durably(checkpoint);
  }
  if (!spared_->insert(checkpoint.filename()).second) {
    return;  // the user has been told
  }
  if (!is_removable) {
    spdlog::warn("{}: training no longer needs this checkpoint, but cannot remove it (no permission to write there)",
                 checkpoint.string());
  } else {
    spdlog::warn(
        "{}: training no longer needs this checkpoint, but keeps it because of files that it did not write: {}",
        checkpoint.string(), listed(others));
  }
}

void RunDirectory::prune(Index keep) const {
  std::set<fs::path> kept;
  for (const char* link : kLinks) {
    if (const auto checkpoint = target_of(path() / link)) {
      kept.insert(checkpoint->filename());
    }
  }
  const auto remove_all_but = [&](Index latest, const std::vector<fs::path>& all) {
    for (Index i = 0; i < std::ssize(all) - latest; ++i) {
      const fs::path& checkpoint = all[static_cast<std::size_t>(i)];
      if (!kept.contains(checkpoint.filename())) {
        remove(checkpoint);
      }
    }
  };
  remove_all_but(keep, checkpoints());
  remove_all_but(1, checkpoints_in(path(), kAverage));
}

}  // namespace glassformer
