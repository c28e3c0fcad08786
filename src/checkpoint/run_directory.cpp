#include "checkpoint/run_directory.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/run_names.hpp"
#include "files/durable_files.hpp"
#include "files/lines.hpp"
#include "files/suggestion.hpp"
#include "files/user_error.hpp"
#include "machine/machine.hpp"

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

/// \throws UserError: the path is a checkpoint, inside a checkpoint, or in the place of a run's checkpoint
void refuse_checkpoint(const fs::path& path) {
  const fs::path place = fs::absolute(path / "").lexically_normal().parent_path();
  const std::string name = place.filename().string();
  const bool is_reserved = std::ranges::count(kLinks, name) > 0 || update_of(name) || update_of(name, kAverage);
  if (is_checkpoint(place.parent_path()) || (is_reserved && is_run(place.parent_path()) && !is_checkpoint(place)))
    throw UserError(fmt::format(
        "{}: expected a directory of its own for the run, found a place inside a {}. Choose "
        "another directory with --output.",
        path.string(), is_checkpoint(place.parent_path()) ? "checkpoint" : "run, kept for its checkpoints"));
  if (!is_checkpoint(path)) return;
  const fs::path checkpoint = fs::absolute(path).lexically_normal();
  const fs::path run = checkpoint.has_filename() ? checkpoint.parent_path() : checkpoint.parent_path().parent_path();
  const std::string advice =
      is_run(run)
          ? fmt::format("To continue its run, give the run's directory: --output \"{}\" --resume.", run.string())
          : "Choose another directory with --output. (To train the model further, set model.from.)";
  throw UserError(fmt::format("{}: expected a directory for a run, found a checkpoint. {}", path.string(), advice));
}

/// \throws UserError: a config.yaml that this program did not write, which a run would replace
void refuse_foreign_config(const fs::path& run) {
  const fs::path config = run / kConfigFile;
  if (is_config_of_run(config)) return;
  const std::string advice =
      checkpoints_in(run).empty()
          ? "Choose another directory with --output."
          : "Every checkpoint of this run has a copy of the right one: move this file elsewhere, "
            "and copy one here.";
  throw UserError(
      fmt::format("{}: expected a config that Glassformer wrote, found another file, which the run would "
                  "replace. {}",
                  config.string(), advice));
}

[[noreturn]] void refuse_lost_checkpoints(const fs::path& run) {
  std::error_code ignored;
  const fs::path last = fs::read_symlink(run / "last", ignored);
  throw UserError(
      fmt::format("{}: this run has trained, but its checkpoints are missing{}. Move them back here, or "
                  "start another run with --output.",
                  run.string(), last.empty() ? "" : " (last points to " + last.string() + ")"));
}

/// A text that is the same for two copies of a checkpoint.
std::string identity_of(const fs::path& checkpoint) {
  const fs::path checksums = checkpoint / "SHA256SUMS";
  std::error_code ignored;
  return fs::exists(checksums, ignored) ? read_checkpoint_file(checksums) : sha256_of(checkpoint / kModelFile);
}

/// The checkpoint of the run that is the same as this copy, which stands in the place of a link.
std::optional<fs::path> original_of(const fs::path& copy) {
  const std::string identity = identity_of(copy);
  for (const std::string_view kind : {kStep, kAverage})
    for (const fs::path& checkpoint : checkpoints_in(copy.parent_path(), kind))
      if (identity_of(checkpoint) == identity) return checkpoint;
  return std::nullopt;
}

/// \throws UserError: the checkpoint is damaged, so its copy is still needed
void verify_original(const fs::path& original, const fs::path& copy) try {
  verify_checksums(original, Verify::all);
} catch (const UserError& error) {
  throw UserError(fmt::format("{} (There is a copy of it, {}. If the copy is intact, put it in the place of {}.)",
                              error.what(), copy.string(), original.string()));
}

}  // namespace

void RunDirectory::refuse_existing(const fs::path& path) {
  refuse_checkpoint(path);
  std::vector<std::string> names = names_in(path);
  std::erase_if(names, [](const std::string& name) { return name.starts_with('.'); });
  std::error_code ignored;
  const bool has_begun = names == std::vector<std::string>{"train.log"} && fs::is_empty(path / "train.log", ignored);
  if (names.empty() || has_begun) return;  // see create(): it was killed before it could write config.yaml
  const bool has_config = std::ranges::count(names, kConfigFile) > 0;
  if (has_config && is_config_of_run(path / kConfigFile)) {
    if (!std::ranges::all_of(names, is_early))
      throw UserError(path.string() +
                      ": this directory already holds a run. Continue it with --resume, or choose "
                      "another directory with --output.");
    if (has_trained(path)) refuse_lost_checkpoints(path);
    return;  // a run that ended before its first checkpoint can be replaced
  }
  if (has_config && std::ranges::all_of(names, belongs_to_run)) refuse_foreign_config(path);
  throw UserError(
      fmt::format("{}: expected a new or empty directory, or a run without a checkpoint, found other files "
                  "({}). Choose another directory with --output.",
                  path.string(), listed(names)));
}

RunDirectory RunDirectory::create(const fs::path& path, const std::string& config) {
  if (path.empty()) return {};
  refuse_existing(path);
  std::error_code reason;
  fs::create_directories(path, reason);
  if (reason) throw_disk_error("the run directory cannot be created", path, reason);
  RunDirectory run(path);
  // The log comes first: a config.yaml without a log is not a run, but a config that somebody has copied.
  Descriptor(path / "train.log", O_WRONLY | O_CREAT | O_NOFOLLOW).close();
  run.store_config(config);
  return run;
}

RunDirectory RunDirectory::resume(const fs::path& path) {
  refuse_checkpoint(path);
  const std::vector<std::string> names = names_in(path);
  const bool has_run =
      std::ranges::any_of(names, [](const std::string& name) { return name != kConfigFile && belongs_to_run(name); });
  if (std::ranges::count(names, kConfigFile) > 0) refuse_foreign_config(path);
  if (!has_run)
    throw UserError(path.string() +
                    ": there is no run to continue here (no log, no checkpoints). Check the path, or leave out "
                    "--resume to start a new run.");
  RunDirectory run(path);
  for (const std::string& name : names_in(path))
    if (update_of(name) && !is_checkpoint(path / name))
      throw UserError((path / name).string() +
                      ": expected a checkpoint, found none (no model.safetensors). Move this elsewhere; --resume then "
                      " continues from the last complete checkpoint, or from the beginning if there is none.");
  run.restore_links();
  run.warn_about_later_checkpoints();
  if (!run.last() && has_trained(path)) refuse_lost_checkpoints(path);
  return run;
}

RunDirectory::RunDirectory(const fs::path& path)
    : path_(path), opened_(std::make_shared<const Descriptor>(path, O_RDONLY | O_DIRECTORY)), lock_(path) {
  if (!lock_->is_held())
    spdlog::warn("{}: this file system has no locks: make sure that no other process trains in this directory",
                 path.string());
  for (const std::string_view name : kLogs) {  // a link could point anywhere
    const fs::file_status status = fs::symlink_status(path / name);
    if (fs::exists(status) && !fs::is_regular_file(status))
      throw UserError((path / name).string() +
                      ": expected a file, found a link, a pipe, a device or a directory; move it elsewhere.");
  }
  clear_unfinished();
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
  if (has_none)
    throw UserError(path_.string() +
                    ": expected a file system with symbolic links, which a run needs for best and last, found one "
                    "without them. Choose a directory on another file system with --output.");
  if (reason) throw_disk_error("cannot be written", path_, reason);
  fs::remove(probe, reason);
}

/// If the run was copied without links, directories are in the place of best and last. Makes them links again.
void RunDirectory::restore_links() const {
  for (const char* link : kLinks) {
    const fs::path place = path_ / link;
    const fs::file_status status = fs::symlink_status(place);
    if (!fs::exists(status)) continue;
    if (!fs::is_symlink(status)) {
      restore_link(link);
    } else if (const auto instead = last(); link == std::string_view("last") && !target_of(place) && instead) {
      spdlog::warn("{} points to {}, which is not there; the latest checkpoint is {}", place.string(),
                   link_target(place).string(), instead->filename().string());
    }
  }
}

/// Replaces a copy of a checkpoint by a link to the original. Nothing that is not also elsewhere is removed.
void RunDirectory::restore_link(const char* link) const {
  const fs::path place = path_ / link;
  if (!fs::is_directory(place) || !is_checkpoint(place))
    throw UserError(place.string() +
                    ": expected a link to a checkpoint, found something else, which the run would replace. Move it "
                    "out of this directory.");
  if (const std::vector<std::string> others = other_files_in(place); !others.empty())
    throw UserError(
        fmt::format("{}: expected a link to a checkpoint, found a copy of one that also has files which this "
                    "program did not write: {}. Move these files elsewhere.",
                    place.string(), listed(others)));
  const auto original = original_of(place);
  if (!original)
    throw UserError(place.string() +
                    ": expected a link to a checkpoint, found a directory, the only copy of its checkpoint. Rename "
                    "it to step-NUMBER, where NUMBER is its update in eight digits.");
  verify_original(*original, place);
  spdlog::info("{} was copied as a directory; it becomes a link to {} again", place.string(),
               original->filename().string());
  replace_by_link_durably(place, original->filename());
}

/// If `last` was pointed back by hand, training repeats what it did after that checkpoint.
void RunDirectory::warn_about_later_checkpoints() const {
  const auto resumed = last();
  std::vector<std::string> later;
  for (const fs::path& checkpoint : checkpoints())
    if (resumed && update_of(checkpoint.filename().string()) > update_of(resumed->filename().string()))
      later.push_back(checkpoint.filename().string());
  if (!later.empty())
    spdlog::warn(
        "{} points to {}, but there are later checkpoints: {}; training repeats their updates and replaces them",
        (path() / "last").string(), resumed->filename().string(), listed(later));
}

fs::path RunDirectory::path() const {
  if (!opened_) return path_;
  if (is_at(*opened_, path_)) return path_;
  fs::path now = path_of_directory(opened_->number());
  if (now.empty()) return path_;
  if (is_at(*opened_, now)) return now;
  throw std::runtime_error(path_.string() + ": this run's directory has been deleted, so training stops.");
}

void RunDirectory::require_in_place() const {
  const fs::path now = path();
  if (now == path_) return;
  clear_unfinished();
  throw std::runtime_error(
      fmt::format("{0}: this run's directory has been moved to {1}, and the last checkpoint is there. Continue with: "
                  "glassformer train \"{1}/config.yaml\" --resume --output \"{1}\"",
                  path_.string(), now.string()));
}

void RunDirectory::clear_unfinished() const { clear_unfinished_directories(path(), belongs_to_run); }

void RunDirectory::store_config(const std::string& config) const {
  if (!path_.empty()) write_file_durably(path() / kConfigFile, config);
}

fs::path RunDirectory::checkpoint(Index update) const { return path() / fmt::format("{}{:08}", kStep, update); }
fs::path RunDirectory::average(Index update) const { return path() / fmt::format("{}{:08}", kAverage, update); }
std::vector<fs::path> RunDirectory::checkpoints() const { return checkpoints_in(path()); }
std::optional<fs::path> RunDirectory::last() const { return last_checkpoint(path()); }

void RunDirectory::point(const char* link, const fs::path& checkpoint) const {
  point_link_durably(path() / link, checkpoint.filename());
}

void RunDirectory::remove(const fs::path& checkpoint) const {
  const std::vector<std::string> others = other_files_in(checkpoint);
  if (others.empty()) return remove_directory_durably(checkpoint);
  if (spared_->insert(checkpoint.filename()).second)
    spdlog::warn(
        "{}: training no longer needs this checkpoint, but keeps it because of files that it did not write: {}",
        checkpoint.string(), listed(others));
}

void RunDirectory::prune(Index keep) const {
  std::set<fs::path> kept;
  for (const char* link : kLinks)
    if (const auto checkpoint = target_of(path() / link)) kept.insert(checkpoint->filename());
  const auto remove_all_but = [&](Index latest, const std::vector<fs::path>& all) {
    for (Index i = 0; i < std::ssize(all) - latest; ++i) {
      const fs::path& checkpoint = all[static_cast<std::size_t>(i)];
      if (!kept.contains(checkpoint.filename())) remove(checkpoint);
    }
  };
  remove_all_but(keep, checkpoints());
  remove_all_but(1, checkpoints_in(path(), kAverage));
}

}  // namespace glassformer
