#include "checkpoint/run_directory.hpp"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "checkpoint/checkpoint.hpp"
#include "files/durable_files.hpp"
#include "files/suggestion.hpp"
#include "files/user_error.hpp"
#include "machine/machine.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

constexpr const char* kConfigFile = "config.yaml";
constexpr std::string_view kLogs[] = {"train.log", "metrics.jsonl", "digests.jsonl"};  // we append to these
constexpr std::string_view kStep = "step-", kAverage = "average-";  // followed by at least eight digits

/// The update in a name like step-00001200.
std::optional<Index> update_of(const std::string& name, std::string_view kind = kStep) {
  const std::string_view digits = std::string_view(name).substr(std::min(kind.size(), name.size()));
  if (!name.starts_with(kind) || digits.size() < 8 || digits[0] == '-') return std::nullopt;
  Index update = 0;
  const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), update);
  return error == std::errc() && stop == digits.end() ? std::optional(update) : std::nullopt;
}

/// Sorted by update.
std::vector<fs::path> checkpoints_in(const fs::path& run, std::string_view kind = kStep) {
  std::map<Index, fs::path> found;
  for (const std::string& name : names_in(run))
    if (const auto update = update_of(name, kind); update && is_checkpoint(run / name)) found[*update] = run / name;
  std::vector<fs::path> paths;
  for (const auto& [update, path] : found) paths.push_back(path);
  return paths;
}

/// Whether a run can have this file before its first checkpoint.
bool is_early(const std::string& name) { return name == kConfigFile || std::ranges::count(kLogs, name) > 0; }

/// Whether a directory that contains this name is a run.
bool belongs_to_run(const std::string& name) {
  return is_early(name) || name == "best" || name == "last" || name == "curves.svg" || update_of(name) ||
         update_of(name, kAverage);
}

bool holds_run(const fs::path& directory) { return std::ranges::any_of(names_in(directory), belongs_to_run); }

/// The checkpoint that a link points to, under its own name; nothing if the link is missing or broken.
std::optional<fs::path> target_of(const fs::path& link) {
  std::error_code reason;
  const fs::path target = fs::read_symlink(link, reason);
  const bool none = reason == std::errc::no_such_file_or_directory || reason == std::errc::not_a_directory ||
                    reason == std::errc::invalid_argument;  // not a link
  if (reason && !none) throw_disk_error("cannot be read", link, reason);
  const fs::path checkpoint = target.empty() ? link : link.parent_path() / target;  // a copied run may have no links
  return is_checkpoint(checkpoint) ? std::optional(checkpoint) : std::nullopt;
}

/// Whether the open directory is the one at this path.
bool is_at(const Descriptor& opened, const fs::path& path) {
  struct stat a {
  }, b{};
  return ::fstat(opened.number(), &a) == 0 && ::stat(path.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

/// A sentence about what the user could have meant in this directory.
std::string describe_contents(const fs::path& directory) {
  const std::vector<std::string> names = names_in(directory);
  std::vector<std::string> checkpoints, runs;
  std::error_code ignored;
  for (const std::string& name : names) {
    if (is_checkpoint(directory / name)) checkpoints.push_back(name);
    if (!is_unfinished_name(name) && fs::exists(directory / name / kConfigFile, ignored)) runs.push_back(name);
  }
  const auto found = [&](const char* what, const std::vector<std::string>& which) {
    return fmt::format("{} {}: {}.", what, directory.string(), listed(which));
  };
  if (!checkpoints.empty()) return found("Checkpoints in", checkpoints);
  if (!runs.empty()) return found("Runs in", runs);
  if (holds_run(directory)) return "The run " + directory.string() + " has no checkpoint yet.";
  return names.empty() ? directory.string() + " is empty." : found("Found in", names);
}

/// The error message for a directory that has a model, but no model.safetensors; "" for any other directory.
/// (pytorch_model.bin is a pickle, which can run code when it is loaded, so we never open it.)
std::string format_hint(const fs::path& directory) {
  std::error_code ignored;
  for (const char* name : {"pytorch_model.bin", "model.safetensors.index.json"}) {
    if (!fs::exists(directory / name, ignored)) continue;
    return std::string("expected model.safetensors, found ") + name +
           ". Save the model as one file with transformers: MarianMTModel.from_pretrained(DIR).save_pretrained(OTHER," +
           " max_shard_size='100GB'), and do the same with MarianTokenizer.";
  }
  return "";
}

}  // namespace

void RunDirectory::refuse_existing(const fs::path& path) {
  const std::vector<std::string> names = names_in(path);
  const bool started = std::ranges::count(names, "train.log") > 0;  // a run without a checkpoint can be replaced
  if (std::ranges::all_of(names, [&](auto& name) { return name.starts_with('.') || (started && is_early(name)); }))
    return;
  if (holds_run(path))
    throw UserError(
        path.string() +
        ": this directory already holds a run. Continue it with --resume, or choose another directory with --output.");
  throw UserError(path.string() +
                  ": expected a new or empty directory, or a run without a checkpoint, found other files. "
                  "Choose another directory with --output.");
}

RunDirectory RunDirectory::create(const fs::path& path, const std::string& config) {
  if (path.empty()) return {};
  refuse_existing(path);
  std::error_code reason;
  fs::create_directories(path, reason);
  if (reason) throw_disk_error("the run directory cannot be created", path, reason);
  RunDirectory run(path);
  run.store_config(config);
  return run;
}

RunDirectory RunDirectory::resume(const fs::path& path) {
  if (!holds_run(path))
    throw UserError(path.string() +
                    ": there is no run to continue here (no config.yaml, no checkpoints). Check the path, or leave out "
                    "--resume to start a new run.");
  RunDirectory run(path);
  for (const std::string& name : names_in(path))
    if (update_of(name) && !is_checkpoint(path / name))
      throw UserError((path / name).string() +
                      ": expected a checkpoint, found none (no model.safetensors). Remove this directory; --resume "
                      "then continues from the last complete checkpoint, or from the beginning if there is none.");
  return run;
}

RunDirectory::RunDirectory(const fs::path& path)
    : path_(path), opened_(std::make_shared<const Descriptor>(path, O_RDONLY | O_DIRECTORY)), lock_(path) {
  for (const std::string_view name : kLogs) {  // a link could point anywhere
    const fs::file_status status = fs::symlink_status(path / name);
    if (fs::exists(status) && !fs::is_regular_file(status))
      throw UserError((path / name).string() + ": expected a file, found a link, a device or a directory; remove it.");
  }
  clear_unfinished();
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

std::optional<fs::path> RunDirectory::last() const {
  if (auto linked = target_of(path() / "last")) return linked;
  const std::vector<fs::path> all = checkpoints();
  return all.empty() ? std::nullopt : std::optional(all.back());
}

void RunDirectory::point(const char* link, const fs::path& checkpoint) const {
  point_link_durably(path() / link, checkpoint.filename());
}

void RunDirectory::prune(Index keep) const {
  std::set<fs::path> kept;
  for (const char* link : {"best", "last"})
    if (const auto checkpoint = target_of(path() / link)) kept.insert(checkpoint->filename());
  const auto remove_all_but = [&](Index latest, const std::vector<fs::path>& all) {
    for (Index i = 0; i < std::ssize(all) - latest; ++i) {
      const fs::path& checkpoint = all[static_cast<std::size_t>(i)];
      if (!kept.contains(checkpoint.filename())) remove_directory_durably(checkpoint);
    }
  };
  remove_all_but(keep, checkpoints());
  remove_all_but(1, checkpoints_in(path(), kAverage));
}

fs::path resolve_checkpoint(const fs::path& path) {
  fs::path place = path.has_filename() ? path : path.parent_path();  // without a trailing slash
  const fs::path parent = place.has_parent_path() ? place.parent_path() : fs::path(".");
  const auto refusal = [&](const std::string& why, const fs::path& shown) {
    return UserError(
        fmt::format("{}: {}. Expected a checkpoint directory (with model.safetensors) or a run directory (with best "
                    "or last). {}",
                    path.string(), why, describe_contents(shown)));
  };
  std::error_code ignored;
  if (is_checkpoint(place)) return place;
  if (is_unfinished_name(place)) throw refusal("writing this checkpoint was interrupted", parent);
  for (const char* link : {"best", "last"}) {
    if (const auto checkpoint = target_of(place / link)) return *checkpoint;
    if (const fs::path target = fs::read_symlink(place / link, ignored); !target.empty())
      throw refusal(fmt::format("its {} points to {}, which is not a checkpoint", link, target.string()), place);
  }
  if (const std::string other = format_hint(place); !other.empty()) throw UserError(path.string() + ": " + other);
  if (fs::is_directory(place, ignored)) throw refusal("this is neither a checkpoint nor a run", place);
  if (fs::exists(place, ignored)) {
    if (is_checkpoint(parent))
      throw UserError(path.string() + ": this is a file in a checkpoint; give the directory " + parent.string());
    throw refusal("this is a file", parent);
  }
  throw refusal("there is no such directory", fs::is_directory(parent, ignored) ? parent : fs::path("."));
}

}  // namespace glassformer
