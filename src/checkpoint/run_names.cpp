#include "checkpoint/run_names.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <span>

#include "checkpoint/checkpoint.hpp"
#include "files/descriptor.hpp"
#include "files/lines.hpp"
#include "files/suggestion.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kUpdate = "{\"update\":";  // starts a line of digests.jsonl

/// Whether there is a regular file. (A pipe would wait for a writer.) \throws as throw_disk_error() does
bool is_file(const fs::path& path) {
  std::error_code reason;
  const fs::file_status status = fs::status(path, reason);
  if (status.type() == fs::file_type::none) throw_disk_error("cannot be read", path, reason);
  return fs::is_regular_file(status);
}

}  // namespace

std::optional<Index> update_of(const std::string& name, std::string_view kind) {
  const std::string_view digits = std::string_view(name).substr(std::min(kind.size(), name.size()));
  if (!name.starts_with(kind) || digits.size() < 8 || digits[0] == '-') return std::nullopt;
  Index update = 0;
  const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), update);
  return error == std::errc() && stop == digits.end() ? std::optional(update) : std::nullopt;
}

std::vector<fs::path> checkpoints_in(const fs::path& run, std::string_view kind) {
  std::map<Index, fs::path> found;
  for (const std::string& name : names_in(run)) {
    const auto update = update_of(name, kind);
    if (update && is_checkpoint(run / name)) found[*update] = run / name;
  }
  std::vector<fs::path> paths;
  for (const auto& [update, path] : found) paths.push_back(path);
  return paths;
}

fs::path link_target(const fs::path& path) {
  std::error_code reason;
  fs::path target = fs::read_symlink(path, reason);
  const bool is_no_link = reason == std::errc::no_such_file_or_directory || reason == std::errc::not_a_directory ||
                          reason == std::errc::invalid_argument;
  if (reason && !is_no_link) throw_disk_error("cannot be read", path, reason);
  return target;
}

std::optional<fs::path> target_of(const fs::path& link) {
  const fs::path target = link_target(link);
  const fs::path checkpoint = target.empty() ? link : link.parent_path() / target;
  return is_checkpoint(checkpoint) ? std::optional(checkpoint) : std::nullopt;
}

bool is_early(const std::string& name) {
  return name == kConfigFile || name == "curves.svg" || std::ranges::count(kLogs, name) > 0;
}

bool belongs_to_run(const std::string& name) {
  return is_early(name) || std::ranges::count(kLinks, name) > 0 || update_of(name) || update_of(name, kAverage);
}

bool is_config_of_run(const fs::path& file) {
  if (!is_file(file)) return false;
  Descriptor opened(file, O_RDONLY);
  std::string beginning(kConfigBeginning.size(), '\0');
  std::size_t size = 0;
  while (const std::size_t count = opened.read(std::span(beginning).subspan(size))) size += count;
  return beginning == kConfigBeginning;
}

bool is_run(const fs::path& directory) {
  if (!is_config_of_run(directory / kConfigFile)) return false;
  const std::vector<std::string> names = names_in(directory);
  return std::ranges::any_of(names,
                             [](const std::string& name) { return name != kConfigFile && belongs_to_run(name); });
}

bool has_begun(const fs::path& directory) {
  if (is_file(directory / "digests.jsonl"))
    return read_checkpoint_file(directory / "digests.jsonl", kUnlimited).starts_with(kUpdate);
  return is_file(directory / "train.log") && fs::file_size(directory / "train.log") == 0;
}

bool has_trained(const fs::path& run) {
  for (const char* link : kLinks) {
    if (!link_target(run / link).empty()) return true;
  }
  const fs::path digests = run / "digests.jsonl";
  if (!is_file(digests)) return false;
  const std::string text = read_checkpoint_file(digests, kUnlimited);
  for (std::size_t at = text.find(kUpdate); at != std::string::npos; at = text.find(kUpdate, at + 1)) {
    const bool starts_line = at == 0 || text[at - 1] == '\n';
    const bool is_first = text.compare(at + kUpdate.size(), 2, "0,") == 0;
    if (starts_line && !is_first) return true;
  }
  return false;
}

std::optional<fs::path> last_checkpoint(const fs::path& run) {
  if (auto linked = target_of(run / "last")) return linked;
  const std::vector<fs::path> all = checkpoints_in(run);
  return all.empty() ? std::nullopt : std::optional(all.back());
}

}  // namespace glassformer
