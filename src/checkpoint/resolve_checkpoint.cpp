// Finds the checkpoint that a user means, or says what the directory contains instead.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>

#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/run_directory.hpp"
#include "glassformer/checkpoint/run_names.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/unfinished.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

/// A sentence that lists the checkpoints or runs in this directory; the user may have meant one of them.
std::string describe_contents(const fs::path& directory) {
  const std::vector<std::string> names = names_in(directory);
  std::vector<std::string> checkpoints;
  std::vector<std::string> runs;
  std::error_code ignored;
  for (const std::string& name : names) {
    if (is_checkpoint(directory / name)) {
      checkpoints.push_back(name);
    }
    if (!is_unfinished_name(name) && fs::exists(directory / name / kConfigFile, ignored)) {
      runs.push_back(name);
    }
  }
  const auto found = [&](const char* what, const std::vector<std::string>& which) {
    return fmt::format("{} {}: {}.", what, directory.string(), listed(which));
  };
  if (!checkpoints.empty()) {
    return found("Checkpoints in", checkpoints);
  }
  if (!runs.empty()) {
    return found("Runs in", runs);
  }
  if (is_run(directory) && has_trained(directory)) {
    return "The run " + directory.string() + " has trained, but its checkpoints are missing.";
  }
  if (std::ranges::any_of(names, belongs_to_run)) {
    return "The run " + directory.string() + " has no checkpoint yet.";
  }
  return names.empty() ? directory.string() + " is empty." : found("Found in", names);
}

/// The error message for a directory that has a model, but no model.safetensors; "" for any other directory.
/// (pytorch_model.bin is a pickle, which can run code when it is loaded, so we never open it.)
std::string format_hint(const fs::path& directory) {
  std::error_code ignored;
  for (const char* name : {"pytorch_model.bin", "model.safetensors.index.json"}) {
    if (!fs::exists(directory / name, ignored)) {
      continue;
    }
    return std::string("expected model.safetensors, found ") + name +
           ". Save the model as one file with transformers: MarianMTModel.from_pretrained(DIR).save_pretrained(OTHER," +
           " max_shard_size='100GB'), and do the same with MarianTokenizer.";
  }
  return "";
}

/// The path that a link leads to, so that all files of a checkpoint are read from one directory, even if the link
/// changes in the meantime. Other paths stay as they are.
fs::path without_link(fs::path path) {
  constexpr int kMostLinks = 40;  // as in Linux
  for (int i = 0; i < kMostLinks; ++i) {
    const fs::path target = link_target(path);
    if (target.empty()) {
      break;
    }
    path = path.parent_path() / target;
  }
  return path;
}

/// The error for a path that leads to no checkpoint. `shown`: the directory whose contents the message lists.
UserError refusal(const fs::path& path, const std::string& why, const fs::path& shown) {
  return UserError(
      fmt::format("{}: {}. Expected a checkpoint directory (with model.safetensors) or a run directory (with best "
                  "or last). {}",
                  path.string(), why, describe_contents(shown)));
}

/// The checkpoint to which the links of the run at `place` lead, best before last; nothing if there are no links.
/// \throws UserError: a link is broken
std::optional<fs::path> linked_checkpoint(const fs::path& path, const fs::path& place) {
  std::error_code ignored;
  for (const char* link : kLinks) {
    if (auto checkpoint = target_of(place / link)) {
      if (link != std::string_view("best")) {
        spdlog::info("{} has no best checkpoint; using its last one: {}", path.string(), checkpoint->string());
      }
      return checkpoint;
    }
    if (const fs::path target = fs::read_symlink(place / link, ignored); !target.empty()) {
      throw refusal(path, fmt::format("its {} points to {}, which is not a checkpoint", link, target.string()), place);
    }
  }
  return std::nullopt;
}

/// The nearest directory above a path that does not exist; "." if there is none.
fs::path existing_parent(const fs::path& parent) {
  std::error_code ignored;
  fs::path nearest = parent;
  while (!fs::is_directory(nearest, ignored) && nearest.has_parent_path() && nearest != nearest.parent_path()) {
    nearest = nearest.parent_path();
  }
  return fs::is_directory(nearest, ignored) ? nearest : fs::path(".");
}

}  // namespace

fs::path resolve_checkpoint(const fs::path& path) {
  const fs::path given = path.has_filename() ? path : path.parent_path();  // without a trailing slash
  const fs::path parent = given.has_parent_path() ? given.parent_path() : fs::path(".");
  std::error_code ignored;
  fs::path place = without_link(given);
  if (is_checkpoint(place)) {
    return place;
  }
  if (is_unfinished_name(place)) {
    throw refusal(path, "writing this checkpoint was interrupted", parent);
  }
  if (const auto linked = linked_checkpoint(path, place)) {
    return *linked;
  }
  if (const std::string other = format_hint(place); !other.empty()) {
    throw UserError(path.string() + ": " + other);
  }
  if (fs::is_directory(place, ignored)) {
    throw refusal(path, "this is neither a checkpoint nor a run", place);
  }
  if (fs::exists(place, ignored)) {
    if (is_checkpoint(parent)) {
      throw UserError(path.string() + ": this is a file in a checkpoint; give the directory " + parent.string());
    }
    throw refusal(path, "this is a file", parent);
  }
  throw refusal(path, "there is no such directory", existing_parent(parent));
}

std::string link_text(const fs::path& path) {
  std::error_code ignored;
  const fs::path given = path.has_filename() ? path : path.parent_path();
  std::string text = fs::read_symlink(given, ignored).string();
  for (const char* link : kLinks) {
    text += "/" + fs::read_symlink(given / link, ignored).string();
  }
  return text;
}

}  // namespace glassformer
