#include "glassformer/checkpoint/run_checks.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/checksums.hpp"
#include "glassformer/checkpoint/file_names.hpp"
#include "glassformer/checkpoint/run_names.hpp"
#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/files/durable_directories.hpp"
#include "glassformer/files/durable_files.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/report/curves.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

/// \throws UserError: the path is a checkpoint, inside a checkpoint, or in the place of a run's checkpoint
void refuse_checkpoint(const fs::path& path) {
  const fs::path place = fs::absolute(path / "").lexically_normal().parent_path();  // without a trailing slash
  const fs::path parent = place.parent_path();
  if (is_checkpoint(place)) {
    const std::string advice =
        is_run(parent)
            ? fmt::format("To continue its run, give the run's directory: --output \"{}\" --resume.", parent.string())
            : "Choose another directory with --output. (To train the model further, set model.from.)";
    throw UserError(fmt::format("{}: this is a checkpoint, not a run. {}", path.string(), advice));
  }
  for (fs::path inner = place, outer = parent; inner != outer; inner = outer, outer = outer.parent_path()) {
    const std::string name = inner.filename().string();
    const bool is_reserved = std::ranges::count(kLinks, name) > 0 || update_of(name) || update_of(name, kAverage);
    const bool is_in_checkpoint = is_checkpoint(outer);
    if (is_in_checkpoint || (is_reserved && is_run(outer))) {
      throw UserError(fmt::format(
          "{}: a run needs a directory of its own, but this is inside {}. Choose another directory with --output.",
          path.string(), is_in_checkpoint ? "a checkpoint" : "a run, which uses such names for its checkpoints"));
    }
  }
}

/// \throws UserError: a config.yaml that this program did not write, which a run would replace
void refuse_foreign_config(const fs::path& run) {
  const fs::path config = run / kConfigFile;
  if (is_config_of_run(config)) {
    return;
  }
  const std::string advice =
      checkpoints_in(run).empty()
          ? "Choose another directory with --output."
          : "Every checkpoint of this run has a copy of the right one: move this file elsewhere, "
            "and copy one here.";
  throw UserError(fmt::format("{}: the run would replace this config, which Glassformer did not write. {}",
                              config.string(), advice));
}

[[noreturn]] void refuse_lost_checkpoints(const fs::path& run) {
  const fs::path last = link_target(run / "last");
  throw UserError(
      fmt::format("{}: this run has trained, but its checkpoints are missing{}. Move them back here, or "
                  "start another run with --output.",
                  run.string(), last.empty() ? "" : " (last points to " + last.string() + ")"));
}

/// A text that is the same for two copies of a checkpoint.
std::string identity_of(const fs::path& checkpoint) {
  const fs::path checksums = checkpoint / kChecksumFile;
  return fs::exists(checksums) ? read_checkpoint_file(checksums) : sha256_of(checkpoint / kModelFile);
}

/// The checkpoint of the run that is the same as this copy, which stands in the place of a link.
std::optional<fs::path> original_of(const fs::path& copy) {
  const std::string identity = identity_of(copy);
  for (const std::string_view kind : {kStep, kAverage}) {
    for (const fs::path& checkpoint : checkpoints_in(copy.parent_path(), kind)) {
      if (identity_of(checkpoint) == identity) {
        return checkpoint;
      }
    }
  }
  return std::nullopt;
}

/// \throws UserError: the checkpoint is damaged, so its copy is still needed
void verify_original(const fs::path& original, const fs::path& copy) try {
  verify_checksums(original, Verify::all);
} catch (const UserError& error) {
  throw UserError(fmt::format("{} (There is a copy of it, {}. If the copy is intact, put it in the place of {}.)",
                              error.what(), copy.string(), original.string()));
}

/// The first file of a copy that the original does not have, or has with other contents; "" if there is none. Hidden
/// files, such as .DS_Store, do not count.
std::string first_difference(const fs::path& copy, const fs::path& original) {
  for (const std::string& name : names_in(copy)) {
    if (name.starts_with('.')) {
      continue;
    }
    const bool are_files = fs::is_regular_file(copy / name) && fs::is_regular_file(original / name);
    if (!are_files || sha256_of(copy / name) != sha256_of(original / name)) {
      return name;
    }
  }
  return "";
}

/// Replaces a copy of a checkpoint with a link to the original. Removes only what the original has, too.
void restore_link(const fs::path& place) {
  if (!fs::is_directory(place) || !is_checkpoint(place)) {
    throw UserError(place.string() +
                    ": the run would replace this with a link to a checkpoint. Move it out of this directory.");
  }
  const auto original = original_of(place);
  if (!original) {
    throw UserError(
        place.string() +
        ": this should be a link to a checkpoint, but is the only copy of one. Rename it to step-NUMBER, where "
        "NUMBER is its update in eight digits.");
  }
  verify_original(*original, place);
  if (const std::string name = first_difference(place, *original); !name.empty()) {
    throw UserError(fmt::format(
        "{}: this should be a link to {}, but is a copy in which {} was changed or added. Move this directory, or "
        "that file, elsewhere.",
        place.string(), original->filename().string(), name));
  }
  spdlog::info("{} was copied as a directory; it becomes a link to {} again", place.string(),
               original->filename().string());
  replace_by_link_durably(place, original->filename());
}

/// Training repeats the updates after `last`, and replaces their checkpoints.
void warn_about_later_checkpoints(const fs::path& run, const fs::path& last) {
  const auto update_in = [](const fs::path& checkpoint) { return update_of(checkpoint.filename().string()); };
  std::vector<std::string> later;
  for (const fs::path& checkpoint : checkpoints_in(run)) {
    if (update_in(checkpoint) > update_in(last)) {
      later.push_back(checkpoint.filename().string());
    }
  }
  if (!later.empty()) {
    spdlog::warn(
        "{} leads to {}, but there are later checkpoints: {}. Training repeats their updates and replaces them",
        (run / "last").string(), last.filename().string(), listed(later));
  }
}

}  // namespace

void require_place_for_new_run(const fs::path& directory) {
  refuse_checkpoint(directory);
  std::vector<std::string> names = names_in(directory);
  std::erase_if(names, [](const std::string& name) { return name.starts_with('.'); });
  if (names.empty()) {
    return;
  }
  const bool has_config = std::ranges::count(names, kConfigFile) > 0;
  const bool is_ours = has_config ? is_config_of_run(directory / kConfigFile) : has_begun(directory);
  const bool is_all_early = std::ranges::all_of(names, is_early);
  if (is_ours && !is_all_early) {
    throw UserError(directory.string() +
                    ": this directory already holds a run. Continue it with --resume, or choose another directory with "
                    "--output.");
  }
  if (is_ours && has_begun(directory)) {
    if (has_trained(directory)) {
      refuse_lost_checkpoints(directory);
    }
    return;  // a run that ended before its first checkpoint can be replaced
  }
  if (has_config && is_all_early) {
    refuse_foreign_config(directory);
  }
  throw UserError(fmt::format(
      "{}: a run needs a new or empty directory, but this one has other files ({}). Choose another one with "
      "--output.",
      directory.string(), listed(names)));
}

void require_run(const fs::path& directory) {
  refuse_checkpoint(directory);
  const std::vector<std::string> names = names_in(directory);
  const bool has_checkpoints =
      std::ranges::any_of(names, [](const std::string& name) { return belongs_to_run(name) && !is_early(name); });
  const bool has_config = std::ranges::count(names, kConfigFile) > 0;
  if (has_config) {
    refuse_foreign_config(directory);
  }
  if (!has_checkpoints && !(has_config && has_begun(directory))) {
    throw UserError(
        directory.string() +
        ": there is no run to continue here (no checkpoints, and no logs that a run has written). Check the "
        "path, or leave out --resume to start a new run.");
  }
  if (std::ranges::count(names, kCurvesFile) > 0 && !is_own_file(directory / kCurvesFile)) {
    throw UserError((directory / kCurvesFile).string() +
                    ": the run would replace this picture, which Glassformer did not draw. Move it elsewhere.");
  }
}

void prepare_checkpoints(const fs::path& run) {
  for (const std::string& name : names_in(run)) {
    if (update_of(name) && !is_checkpoint(run / name)) {
      throw UserError((run / name).string() +
                      ": expected a checkpoint, found none (no model.safetensors). Move this elsewhere" +
                      (checkpoints_in(run).empty()
                           ? ". It is the only one of this run; to start again, choose another directory with --output."
                           : "; --resume then continues from the last complete checkpoint."));
    }
  }
  for (const char* link : kLinks) {
    const fs::file_status status = fs::symlink_status(run / link);
    if (fs::exists(status) && !fs::is_symlink(status)) {
      restore_link(run / link);
    }
  }
  const auto last = last_checkpoint(run);
  if (!last) {
    if (has_trained(run)) {
      refuse_lost_checkpoints(run);
    }
    return;
  }
  if (!target_of(run / "last")) {  // without it, a run that ends before its next checkpoint would have none
    const fs::path target = link_target(run / "last");
    const std::string fault = target.empty() ? "was missing" : "pointed to " + target.string() + ", which is not there";
    spdlog::warn("{} {}; it now points to the latest checkpoint, {}", (run / "last").string(), fault,
                 last->filename().string());
    point_link_durably(run / "last", last->filename());
  }
  warn_about_later_checkpoints(run, *last);
}

}  // namespace glassformer
