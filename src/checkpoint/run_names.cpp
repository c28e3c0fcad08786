#include "glassformer/checkpoint/run_names.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <regex>
#include <span>

#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/file_names.hpp"
#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/unfinished.hpp"
#include "glassformer/report/curves.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kUpdate = "{\"update\":";  // starts a line of digests.jsonl

/// Whether there is a regular file. (A pipe would wait for a writer.) \throws as throw_disk_error() does
bool is_file(const fs::path& path) {
  std::error_code reason;
  const fs::file_status status = fs::status(path, reason);
  if (status.type() == fs::file_type::none) {
    throw_disk_error("cannot be read", path, reason);
  }
  return fs::is_regular_file(status);
}

/// The first bytes of a file; fewer if the file is shorter.
std::string beginning_of(const fs::path& file, std::size_t bytes) {
  Descriptor opened(file, O_RDONLY);
  std::string beginning(bytes, '\0');
  std::size_t size = 0;
  while (const std::size_t count = opened.read(std::span(beginning).subspan(size))) {
    size += count;
  }
  beginning.resize(size);
  return beginning;
}

}  // namespace

std::optional<Index> update_of(const std::string& name, std::string_view kind) {
  const std::string_view digits = std::string_view(name).substr(std::min(kind.size(), name.size()));
  if (!name.starts_with(kind) || digits.size() < 8 || digits[0] == '-') {
    return std::nullopt;
  }
  Index update = 0;
  const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), update);
  return error == std::errc() && stop == digits.end() ? std::optional(update) : std::nullopt;
}

std::vector<fs::path> checkpoints_in(const fs::path& run, std::string_view kind) {
  std::map<Index, fs::path> found;
  for (const std::string& name : names_in(run)) {
    const auto update = update_of(name, kind);
    if (update && is_checkpoint(run / name)) {
      found[*update] = run / name;
    }
  }
  std::vector<fs::path> paths;
  for (const auto& [update, path] : found) {
    paths.push_back(path);
  }
  return paths;
}

fs::path link_target(const fs::path& path) {
  std::error_code reason;
  fs::path target = fs::read_symlink(path, reason);
  const bool is_no_link = reason == std::errc::no_such_file_or_directory || reason == std::errc::not_a_directory ||
                          reason == std::errc::invalid_argument;
  if (reason && !is_no_link) {
    throw_disk_error("cannot be read", path, reason);
  }
  return target;
}

std::optional<fs::path> target_of(const fs::path& link) {
  const fs::path target = link_target(link);
  const fs::path checkpoint = target.empty() ? link : link.parent_path() / target;
  return is_checkpoint(checkpoint) ? std::optional(checkpoint) : std::nullopt;
}

bool is_early(const std::string& name) {
  return name == kConfigFile || name == kCurvesFile || std::ranges::count(kLogs, name) > 0;
}

bool belongs_to_run(const std::string& name) {
  return is_early(name) || std::ranges::count(kLinks, name) > 0 || update_of(name) || update_of(name, kAverage);
}

bool is_config_of_run(const fs::path& file) {
  return is_file(file) && beginning_of(file, kConfigBeginning.size()) == kConfigBeginning;
}

bool is_run(const fs::path& directory) {
  if (!is_config_of_run(directory / kConfigFile)) {
    return false;
  }
  const std::vector<std::string> names = names_in(directory);
  return std::ranges::any_of(names,
                             [](const std::string& name) { return name != kConfigFile && belongs_to_run(name); });
}

bool is_own_file(const fs::path& file) {
  if (!is_file(file)) {
    return false;
  }
  const std::string name = file.filename().string();
  if (name == kConfigFile) {
    return is_config_of_run(file);
  }
  const std::string text = beginning_of(file, 64);
  if (name == kCurvesFile) {
    return text.starts_with(kCurvesBeginning);
  }
  if (text.empty()) {
    return true;  // a run that has just begun, or begins again
  }
  if (name == "digests.jsonl") {
    return text.starts_with(kUpdate) || kUpdate.starts_with(text);
  }
  if (name == "metrics.jsonl") {
    return text.starts_with("{\"kind\":");
  }
  static const std::regex kLogLine(R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  [^]*)");
  return name == "train.log" && std::regex_match(text, kLogLine);
}

bool has_begun(const fs::path& directory) {
  const std::vector<std::string> names = names_in(directory);
  const bool has_log = std::ranges::count(names, "train.log") + std::ranges::count(names, "digests.jsonl") > 0;
  return has_log && std::ranges::all_of(names, [&](const std::string& name) {
           return name == kConfigFile || !is_early(name) || is_own_file(directory / name);
         });
}

bool has_trained(const fs::path& run) {
  for (const char* link : kLinks) {
    if (!link_target(run / link).empty()) {
      return true;
    }
  }
  const fs::path digests = run / "digests.jsonl";
  if (!is_file(digests)) {
    return false;
  }
  const std::string text = read_checkpoint_file(digests, kUnlimited);
  for (std::size_t at = text.find(kUpdate); at != std::string::npos; at = text.find(kUpdate, at + 1)) {
    const bool starts_line = at == 0 || text[at - 1] == '\n';
    const bool is_first = text.compare(at + kUpdate.size(), 2, "0,") == 0;
    if (starts_line && !is_first) {
      return true;
    }
  }
  return false;
}

bool can_continue(const fs::path& run) {
  if (last_checkpoint(run)) {
    return true;
  }
  const std::vector<std::string> names = names_in(run);
  return std::ranges::any_of(names, [&](const std::string& name) {
    return is_unfinished_name(name) && name.ends_with(kReplacedSuffix) && update_of(finished(name).string()) &&
           is_file(run / name / kModelFile);
  });
}

std::optional<fs::path> last_checkpoint(const fs::path& run) {
  if (auto linked = target_of(run / "last")) {
    return linked;
  }
  const std::vector<fs::path> all = checkpoints_in(run);
  return all.empty() ? std::nullopt : std::optional(all.back());
}

}  // namespace glassformer
