#include "checkpoint/run_directory.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string>
#include <utility>

#include "checkpoint/checkpoint.hpp"
#include "files/durable_files.hpp"
#include "files/user_error.hpp"
#include "marian/marian_config.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

constexpr const char* kConfigFile = "config.yaml";
constexpr std::string_view kCorpus = "corpus";  // the training text, where it is too large for memory
constexpr std::string_view kStep = "step-", kAverage = "average-";
constexpr std::size_t kUpdateDigits = 8;

std::string checkpoint_name(std::string_view kind, Index update) {
  std::string digits = std::to_string(update);
  if (digits.size() < kUpdateDigits) digits.insert(0, kUpdateDigits - digits.size(), '0');
  return std::string(kind) + digits;
}

/// The update in a name like step-00001200.
std::optional<Index> update_of(const std::string& name, std::string_view kind = kStep) {
  if (!name.starts_with(kind) || name.size() < kind.size() + kUpdateDigits) return std::nullopt;
  const char* const end = name.data() + name.size();
  Index update = 0;
  const auto [stop, error] = std::from_chars(name.data() + kind.size(), end, update);
  if (error != std::errc() || stop != end || update < 0) return std::nullopt;
  return update;
}

/// Names in a directory, sorted; none where there is no directory to be read.
std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator entry(directory, ignored), end; entry != end; entry.increment(ignored)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<fs::path> checkpoints_in(const fs::path& run, std::string_view kind = kStep) {
  std::vector<std::pair<Index, fs::path>> found;
  for (const std::string& name : names_in(run)) {
    const std::optional<Index> update = update_of(name, kind);
    if (update && is_checkpoint(run / name)) found.emplace_back(*update, run / name);
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> paths;
  for (auto& [update, path] : found) paths.push_back(std::move(path));
  return paths;
}

/// Whether it is the name of something that a run writes.
bool is_of_run(const std::string& name) {
  constexpr std::array<std::string_view, 6> kNames = {kConfigFile, kCorpus,         "best",
                                                      "last",      "metrics.jsonl", "curves.svg"};
  return update_of(name) || update_of(name, kAverage) || std::ranges::count(kNames, name) > 0;
}

/// What makes a directory a run.
bool holds_run(const fs::path& directory) {
  const std::vector<std::string> names = names_in(directory);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == kConfigFile || name == "best" || name == "last" || name == "train.log" ||
           name == "metrics.jsonl" || update_of(name);
  });
}

/// The checkpoint behind a link, by its own name; nothing if the link is missing or broken.
std::optional<fs::path> behind(const fs::path& link) {
  std::error_code ignored;
  const fs::path target = fs::read_symlink(link, ignored);
  const fs::path checkpoint =
      target.empty() ? link : link.parent_path() / target;  // a copied run may have no links
  if (!is_checkpoint(checkpoint)) return std::nullopt;
  return checkpoint;
}

}  // namespace

void RunDirectory::refuse_existing(const fs::path& path) {
  const std::vector<std::string> names = names_in(path);
  // A run that ended before its first checkpoint has these files and no other.
  const auto is_early = [](const std::string& name) {
    return name == kConfigFile || name == "train.log" || name == "metrics.jsonl" || name == kCorpus ||
           name.starts_with('.');
  };
  if (std::ranges::count(names, "train.log") > 0 && std::ranges::all_of(names, is_early)) return;
  if (holds_run(path)) {
    throw UserError(path.string() + ": a run stands here already. Continue it with --resume, or choose another " +
                    "directory with --output.");
  }
  if (!std::ranges::all_of(names, [](const std::string& name) { return name == kCorpus || name.starts_with('.'); })) {
    throw UserError(path.string() + ": expected no directory, an empty one or a run, found other files in it. " +
                    "Choose another directory with --output.");
  }
}

RunDirectory RunDirectory::reserve(const fs::path& path) {
  if (path.empty()) return {};
  refuse_existing(path);
  std::error_code reason;
  fs::create_directories(path, reason);
  if (reason) throw UserError(path.string() + ": the run directory cannot be made: " + reason.message() +
                              ". Choose another place with --output.");
  return RunDirectory(path);
}

RunDirectory RunDirectory::create(const fs::path& path, const Config& config) {
  std::error_code ignored;
  const bool is_new = !fs::exists(path, ignored);
  RunDirectory run = reserve(path);
  try {
    run.store_config(config);
  } catch (...) {
    if (is_new) fs::remove_all(path, ignored);
    throw;
  }
  return run;
}

RunDirectory RunDirectory::resume(const fs::path& path) {
  if (!holds_run(path)) {
    throw UserError(path.string() + ": there is no run to be continued here (no " + kConfigFile +
                    ", no checkpoints). Check the path, or leave --resume out to begin anew.");
  }
  RunDirectory run(path);
  clear_unfinished_directories(path, is_of_run);
  for (const std::string& name : names_in(path)) {
    if (!update_of(name) || is_checkpoint(path / name)) continue;
    throw UserError((path / name).string() + ": expected a checkpoint, found none (no model.safetensors). Once it is " +
                    "removed, --resume goes on from the last whole one, or from the beginning if there is none.");
  }
  return run;
}

Config RunDirectory::config() const try {
  return read_config_of_checkpoint(path_ / kConfigFile, false);  // train has warned about its own config
} catch (const UserError& error) {
  throw UserError(std::string(error.what()) + " (This is the config that the run was begun with. Every checkpoint " +
                  "in " + path_.string() + " has a copy of it.)");
}

std::vector<ChangedKey> RunDirectory::accept_changes(const Config& config) const {
  const Config begun = this->config();
  std::vector<ChangedKey> changed = changed_keys(begun, config);
  std::string names;
  for (const ChangedKey& key : changed) {
    if (key.changes_training) names += (names.empty() ? "" : ", ") + key.name + " (" + key.before + ")";
  }
  if (names.empty()) return changed;
  throw UserError((path_ / kConfigFile).string() + ": the run was begun with other values of " + names +
                  ". Continue it with the config it was begun with, or begin another run with --output.");
}

void RunDirectory::store_config(const Config& config) const {
  if (path_.empty()) return;
  write_file_durably(path_ / kConfigFile, write_config(config));
}

fs::path RunDirectory::checkpoint(Index update) const { return path_ / checkpoint_name(kStep, update); }

fs::path RunDirectory::average(Index update) const { return path_ / checkpoint_name(kAverage, update); }

std::vector<fs::path> RunDirectory::checkpoints() const { return checkpoints_in(path_); }

std::optional<fs::path> RunDirectory::last() const {
  if (auto linked = behind(path_ / "last")) return linked;
  const std::vector<fs::path> all = checkpoints();
  if (all.empty()) return std::nullopt;
  return all.back();
}

void RunDirectory::point_best(const fs::path& checkpoint) const {
  point_link_durably(path_ / "best", checkpoint.filename());
}

void RunDirectory::point_last(const fs::path& checkpoint) const {
  point_link_durably(path_ / "last", checkpoint.filename());
}

void RunDirectory::prune(Index keep) const {
  std::set<fs::path> kept;
  for (const char* link : {"best", "last"}) {
    if (const auto checkpoint = behind(path_ / link)) kept.insert(checkpoint->filename());
  }
  const auto remove_all_but = [&](Index latest, const std::vector<fs::path>& all) {
    for (Index i = 0; i < static_cast<Index>(all.size()) - latest; ++i) {
      const fs::path& checkpoint = all[static_cast<std::size_t>(i)];
      if (!kept.contains(checkpoint.filename())) remove_directory_durably(checkpoint);
    }
  };
  remove_all_but(keep, checkpoints());
  remove_all_but(1, checkpoints_in(path_, kAverage));
}

namespace {

constexpr const char* kExpected =
    "Expected a checkpoint directory (it holds model.safetensors) or a run directory (it holds best or last)";

/// The names as one text, the last ones if there are many.
std::string enumerate(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  const std::size_t first = names.size() > kShown ? names.size() - kShown : 0;
  std::string text = first > 0 ? "..., " : "";
  for (std::size_t i = first; i < names.size(); ++i) text += (i > first ? ", " : "") + names[i];
  return text;
}

/// A sentence on what a user could have meant in this directory.
std::string what_is_in(const fs::path& directory) {
  std::vector<std::string> checkpoints, runs;
  for (const std::string& name : names_in(directory)) {
    if (is_checkpoint(directory / name)) {
      checkpoints.push_back(name);
    } else if (!is_unfinished_name(name) && holds_run(directory / name)) {
      runs.push_back(name);
    }
  }
  if (!checkpoints.empty()) return "Checkpoints in " + directory.string() + ": " + enumerate(checkpoints) + ".";
  if (!runs.empty()) return "Runs in " + directory.string() + ": " + enumerate(runs) + ".";
  if (holds_run(directory)) return "The run " + directory.string() + " has no checkpoint yet.";
  const std::vector<std::string> names = names_in(directory);
  if (names.empty()) return directory.string() + " is empty.";
  return "In " + directory.string() + " there are: " + enumerate(names) + ".";
}

}  // namespace

fs::path resolve_checkpoint(const fs::path& path) {
  fs::path place = path.has_filename() ? path : path.parent_path();  // without a trailing slash
  const fs::path parent = place.has_parent_path() ? place.parent_path() : fs::path(".");
  const auto refusal = [&](const std::string& why, const fs::path& shown) {
    return UserError(path.string() + ": " + why + ". " + kExpected + ". " + what_is_in(shown));
  };
  std::error_code ignored;
  if (is_checkpoint(place)) return place;
  if (is_unfinished_name(place)) throw refusal("the writing of this checkpoint was interrupted", parent);
  for (const char* link : {"best", "last"}) {
    if (const auto checkpoint = behind(place / link)) return *checkpoint;
    const fs::path target = fs::read_symlink(place / link, ignored);
    if (!target.empty()) {
      throw refusal("its " + std::string(link) + " points to " + target.string() + ", which is no checkpoint",
                    place);
    }
  }
  if (const std::string other = saved_otherwise(place); !other.empty()) throw UserError(path.string() + ": " + other);
  if (fs::is_directory(place, ignored)) throw refusal("this is neither a checkpoint nor a run", place);
  if (fs::exists(place, ignored)) {
    if (is_checkpoint(parent)) {
      throw UserError(path.string() + ": this is a file of a checkpoint; give " + parent.string());
    }
    throw refusal("this is a file", parent);
  }
  throw refusal("there is no such directory", fs::is_directory(parent, ignored) ? parent : fs::path("."));
}

}  // namespace glassformer
