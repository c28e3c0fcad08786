#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/directory_lock.hpp"
#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// The directory of one training run:
///
///   runs/toy/  config.yaml  train.log  metrics.jsonl  curves.svg  digests.jsonl
///              step-00001200/  step-00001400/  ...   checkpoints; average-00001400: a mean of them
///              best -> step-00001200   last -> step-00001400
///
/// While a RunDirectory exists, no other process can have one for the same directory. A RunDirectory without a
/// path writes nothing: when several processes train together, only the first one writes. Nothing that this program did
/// not write is ever replaced or removed. All functions throw as throw_disk_error() does when the disk reports an
/// error.
class RunDirectory {
 public:
  /// Writes or replaces config.yaml in a directory.
  using WriteConfig = std::function<void(const std::filesystem::path& directory)>;

  /// Creates the directory, in which `write_config` then writes config.yaml, unless the path is empty.
  /// \throws UserError like require_place_for_new_run, or if another run uses the directory
  static RunDirectory create(const std::filesystem::path& path, const WriteConfig& write_config);

  /// Opens a run to continue it, and removes what an interrupted save left behind.
  /// \throws UserError like require_run and prepare_checkpoints, or if another process uses the run
  static RunDirectory resume(const std::filesystem::path& path);

  /// \throws std::runtime_error: the directory was moved or deleted after it was opened
  void require_in_place() const;
  /// \throws like require_in_place
  std::filesystem::path path() const;
  /// A file of the run; empty if there is no path.
  std::filesystem::path file(const std::string& name) const { return path_.empty() ? path_ : path() / name; }
  /// Replaces config.yaml.
  void store_config(const WriteConfig& write_config) const;

  std::filesystem::path checkpoint(Index update) const;    ///< its path: step-00001200
  std::filesystem::path average(Index update) const;       ///< the path of a mean: average-00001200
  std::vector<std::filesystem::path> checkpoints() const;  ///< all step-..., sorted by update
  /// The checkpoint to continue from: the one that `last` points to or, without that link, the latest.
  std::optional<std::filesystem::path> last() const;

  /// Makes the link `best` or `last` point to a checkpoint. \pre it is in this directory
  void point(const char* link, const std::filesystem::path& checkpoint) const;

  /// Removes a checkpoint. If there are files in it that this program did not write, or if there is no permission to
  /// write there, leaves it and warns, once.
  void remove(const std::filesystem::path& checkpoint) const;
  /// Keeps the latest `keep` checkpoints, the latest mean, and what `best` and `last` point to. Removes the others.
  void prune(Index keep) const;

 private:
  RunDirectory() = default;
  explicit RunDirectory(const std::filesystem::path& path);
  void require_links() const;

  std::filesystem::path path_;
  std::shared_ptr<const Descriptor> opened_;
  std::optional<DirectoryLock> lock_;  // two runs would overwrite each other's files
  std::shared_ptr<std::set<std::filesystem::path>> spared_ = std::make_shared<std::set<std::filesystem::path>>();
};

/// The checkpoint that a user means by `path`: a checkpoint itself, or the best one of a run, or its last if it has no
/// best. A link is followed once, here: the result is the directory that it leads to now. \throws UserError: there is
/// none
std::filesystem::path resolve_checkpoint(const std::filesystem::path& path);

/// Where the links that resolve_checkpoint follows for `path` currently lead. Changes when training moves a link.
std::string link_text(const std::filesystem::path& path);

}  // namespace glassformer
