#include "glassformer/files/suggestion.hpp"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <system_error>
#include <utility>

#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/files/utf8.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

int lower(char letter) { return std::tolower(static_cast<unsigned char>(letter)); }

}  // namespace

std::string listed(const std::vector<std::string>& words) {
  constexpr int kShown = 16;
  if (words.size() <= kShown) {
    return fmt::format("{}", fmt::join(words, ", "));
  }
  return fmt::format("{} and {} more", fmt::join(words.begin(), words.begin() + kShown, ", "), words.size() - kShown);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // row[j]: the distance between the first i letters of a and the first j letters of b
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::optional<std::string> nearest(const std::string& word, const std::vector<std::string>& candidates,
                                   std::string (*part)(const std::string&)) {
  std::size_t least = std::max<std::size_t>(word.size() > 3 ? 2 : 1, word.size() / 4) + 1;
  std::optional<std::string> result;
  for (const std::string& candidate : candidates) {
    const std::string other = part ? part(candidate) : candidate;
    if (std::max(word.size(), other.size()) >= std::min(word.size(), other.size()) + least) {
      continue;  // too far
    }
    const std::size_t distance = edit_distance(word, other);
    if (distance >= least || distance >= std::max(word.size(), other.size())) {
      continue;
    }
    least = distance;
    result = candidate;
  }
  return result;
}

std::string brief(std::string text, std::size_t longest) {
  if (text.size() > longest) {
    while (longest > 0 && (text[longest] & 0xC0) == 0x80) {
      --longest;  // not inside a UTF-8 character
    }
    text = text.substr(0, longest) + "...";
  }
  return visible(text);
}

std::string section_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

std::string suggest_key(const std::string& name, const std::vector<std::string>& known) {
  const std::string last = last_part(name);
  const std::string section = section_of(name);
  std::vector<std::string> siblings;
  std::vector<std::string> sibling_words;
  std::vector<std::string> namesakes;
  for (const std::string& key : known) {
    if (last_part(key) == last) {
      namesakes.push_back(key);
    }
    if (section_of(key) != section) {
      continue;
    }
    siblings.push_back(key);
    sibling_words.push_back(last_part(key));
  }
  if (!namesakes.empty()) {
    const auto difference = [&](const std::string& key) {  // optimizer.kind is nearest to training.optimizer.kind
      return key.ends_with("." + name) ? 0 : edit_distance(key, name);
    };
    const std::string home = std::ranges::min(namesakes, {}, difference);
    return home == last ? last + " is a section of its own" : last + " belongs to " + section_of(home) + ": " + home;
  }
  auto near = nearest(last, siblings, last_part);
  if (!near) {
    near = nearest(last, known, last_part);
  }
  if (near) {
    return "did you mean " + *near + "?";
  }
  if (siblings.empty()) {
    return suggest_key(section, known);
  }
  return (section.empty() ? "the sections are " : section + " has the keys ") + listed(sibling_words);
}

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code reason;
  for (fs::directory_iterator entry(directory, reason), end; entry != end; entry.increment(reason)) {
    names.push_back(entry->path().filename().string());
  }
  if (reason && reason != std::errc::no_such_file_or_directory && reason != std::errc::not_a_directory) {
    throw_disk_error("cannot be read", directory, reason);
  }
  std::ranges::sort(names);
  return names;
}

std::string suggest_file(const fs::path& missing) {
  const fs::path directory = missing.has_parent_path() ? missing.parent_path() : ".";
  std::error_code error;
  if (fs::directory_iterator(directory, error); error) {
    return "there is no readable directory " + directory.string();
  }
  const std::vector<std::string> names = names_in(directory);
  const auto near = nearest(missing.filename().string(), names);
  if (near) {
    return "did you mean " + *near + "?";
  }
  return directory.string() + (names.empty() ? " is empty" : " contains " + listed(names));
}

void check_file(const std::string& place, const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::none) {
    throw_disk_error("cannot be read", file, error);
  }
  if (fs::is_directory(status)) {
    throw UserError(place + "expected a file, found the directory " + file.string());
  }
  if (!fs::exists(status)) {
    throw UserError(place + "no file " + file.string() + "; " + suggest_file(file));
  }
  if (!fs::is_regular_file(status)) {  // opening a pipe waits until there is a writer
    throw UserError(place + "expected a regular file, found a pipe or a device: " + file.string() +
                    "; it is read more than once, so write its text to a file first");
  }
  Descriptor(file, O_RDONLY);
}

}  // namespace glassformer
