#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "files/descriptor.hpp"

namespace glassformer {

/// The directory of one training:
///
///   runs/toy/  config.yaml  train.log  metrics.jsonl
///              step-00001200/  step-00001400/  ...   checkpoints; average-00001400: a mean of them
///              best -> step-00001200   last -> step-00001400
///              corpus/   the tokens of a training text that is too large for memory; can be made again
///
/// While there is a RunDirectory, no other process can have one for the same directory. One without a path leaves
/// nothing: where several processes train together, only the first of them writes.
/// Everything here throws UserError when the disk refuses.
class RunDirectory {
 public:
  /// \throws UserError: a run with a checkpoint stands there already, or something that is no run
  static void refuse_existing(const std::filesystem::path& path);

  /// Makes the directory, parents included. Without a path: nothing.
  /// \throws UserError as refuse_existing; another training is at work there
  static RunDirectory reserve(const std::filesystem::path& path);
  /// Also writes config.yaml.
  static RunDirectory create(const std::filesystem::path& path, const Config& config);

  /// Opens a run to continue it, and removes what an interrupted save has left.
  /// \throws UserError: there is no run, or another training is at work in it
  static RunDirectory resume(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  /// A file of the run; no path where the run leaves nothing.
  std::filesystem::path file(const std::string& name) const { return path_.empty() ? path_ : path_ / name; }
  /// What the run was begun with, or continued with since. \throws UserError: the file is missing or damaged
  Config config() const;
  /// What a run is continued with may differ from what it was begun with only where the trained weights do not
  /// depend on it. Gives these differences. \throws UserError naming the others
  std::vector<ChangedKey> accept_changes(const Config& config) const;
  /// Replaces config.yaml.
  void store_config(const Config& config) const;

  /// Where the checkpoint of this update belongs: step-00001200.
  std::filesystem::path checkpoint(Index update) const;
  /// Where the mean of the last checkpoints belongs: average-00001200.
  std::filesystem::path average(Index update) const;
  /// All step-... checkpoints, in order of update.
  std::vector<std::filesystem::path> checkpoints() const;
  /// From where to continue: what `last` points to; where the link is missing or broken, the latest checkpoint.
  std::optional<std::filesystem::path> last() const;

  /// \pre checkpoint lies in this directory
  void point_best(const std::filesystem::path& checkpoint) const;
  void point_last(const std::filesystem::path& checkpoint) const;

  /// Removes all step-... checkpoints but the latest `keep`, and all means but the latest. What `best` and `last`
  /// point to stays.
  void prune(Index keep) const;

 private:
  RunDirectory() = default;
  explicit RunDirectory(const std::filesystem::path& path) : path_(path), lock_(path) {}

  std::filesystem::path path_;
  std::optional<DirectoryLock> lock_;  // two trainings would spoil each other's files
};

/// The checkpoint that a user means by `path`: a checkpoint directory itself, or a run directory, of which it
/// is the best, or the last where there is no best. \throws UserError saying what was expected and what is
/// there
std::filesystem::path resolve_checkpoint(const std::filesystem::path& path);

}  // namespace glassformer
