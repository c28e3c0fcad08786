#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "files/descriptor.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// The directory of one training:
///
///   runs/toy/  config.yaml  train.log  metrics.jsonl
///              step-00001200/  step-00001400/  ...   checkpoints; average-00001400: a mean of them
///              best -> step-00001200   last -> step-00001400
///
/// While there is a RunDirectory, no other process can have one for the same directory. One without a path writes
/// nothing: of several processes that train together, only the first one writes. All functions throw UserError if the
/// disk refuses.
class RunDirectory {
 public:
  /// \throws UserError: the directory holds a run with a checkpoint, or other files
  static void refuse_existing(const std::filesystem::path& path);

  /// Makes the directory, unless the path is empty. \throws UserError as refuse_existing; another training runs there
  static RunDirectory reserve(const std::filesystem::path& path);
  /// Also writes config.yaml, with the text `config`.
  static RunDirectory create(const std::filesystem::path& path, const std::string& config);

  /// Opens a run to continue it, and removes what an interrupted save has left.
  /// \throws UserError: there is no run, or another training runs there
  static RunDirectory resume(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  /// A file of the run; empty if there is no path.
  std::filesystem::path file(const std::string& name) const { return path_.empty() ? path_ : path_ / name; }
  /// Replaces the text of config.yaml.
  void store_config(const std::string& config) const;

  std::filesystem::path checkpoint(Index update) const;    ///< where it belongs: step-00001200
  std::filesystem::path average(Index update) const;       ///< where a mean belongs: average-00001200
  std::vector<std::filesystem::path> checkpoints() const;  ///< all step-..., in the order of updates
  /// From where to continue: what `last` points to or, without that link, the latest checkpoint.
  std::optional<std::filesystem::path> last() const;

  /// Makes the link `best` or `last` point to a checkpoint. \pre it lies in this directory
  void point(const char* link, const std::filesystem::path& checkpoint) const;

  /// Removes all but the latest `keep` checkpoints and the latest mean. What `best` and `last` point to stays.
  void prune(Index keep) const;

 private:
  RunDirectory() = default;
  explicit RunDirectory(const std::filesystem::path& path) : path_(path), lock_(path) {}

  std::filesystem::path path_;
  std::optional<DirectoryLock> lock_;  // two trainings would spoil each other's files
};

/// The checkpoint that a user means by `path`: a checkpoint itself, or the best one of a run, or its last if it has no
/// best. \throws UserError: there is none
std::filesystem::path resolve_checkpoint(const std::filesystem::path& path);

/// What to do with a directory that holds a model, but not as model.safetensors; "" for any other directory.
/// (pytorch_model.bin is a program that Python runs, so it is never opened.)
std::string saved_otherwise(const std::filesystem::path& directory);

}  // namespace glassformer
