#include "glassformer/config/data_files.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/utf8.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

/// The parts of a name between punctuation, in lower case: src, train, txt.
Names parts_of(const std::string& name) {
  Names parts(1);
  for (const char letter : lower_case(name)) {
    if (std::string_view("._- ").find(letter) == std::string_view::npos) {
      parts.back() += letter;
    } else if (!parts.back().empty()) {
      parts.emplace_back();
    }
  }
  return parts;
}

/// The two sides of a text by other names.
struct Pair {
  std::string source, target;
};

/// What other toolkits write for source and target.
std::vector<std::pair<std::string, std::string>> words_for_sides(const TextSide& side) {
  const auto& [source, target] =
      side.is_source ? std::pair(side.language, side.other_language) : std::pair(side.other_language, side.language);
  return {{"src", "tgt"}, {"src", "trg"}, {"source", "target"}, {source, target}};
}

/// `name` is one of the two files: the pair of both, if the other one exists.
std::optional<Pair> pair_of(const std::string& name, const Names& names, const TextSide& side) {
  for (const auto& [source, target] : words_for_sides(side)) {
    for (const auto& [from, to] : {std::pair(source, target), {target, source}}) {
      for (std::size_t at = from.empty() ? std::string::npos : name.find(from); at != std::string::npos;
           at = name.find(from, at + 1)) {
        std::string partner = name;
        partner.replace(at, from.size(), to);
        if (partner != name && has(names, partner)) {
          return from == source ? Pair{name, partner} : Pair{partner, name};
        }
      }
    }
  }
  return std::nullopt;
}

/// A NAME for a text: its file's name without the parts that stand for the side, and without .txt.
std::string plain_name(const std::string& file, const TextSide& side) {
  std::string plain;
  for (const std::string& part : parts_of(file)) {
    bool is_side = part == "txt" || part.empty();
    for (const auto& [source, target] : words_for_sides(side)) {
      is_side = is_side || part == lower_case(source) || part == lower_case(target);
    }
    if (!is_side) {
      plain += (plain.empty() ? "" : "-") + part;
    }
  }
  return plain.empty() ? "train" : plain;
}

std::string how_to_rename(const std::string& file, const Names& names, const TextSide& side) {
  const std::string plain = plain_name(file, side);
  const std::string source_language = side.is_source ? side.language : side.other_language;
  const std::string target_language = side.is_source ? side.other_language : side.language;
  const auto pair = pair_of(file, names, side);
  const std::string commands = pair ? fmt::format("cp {0} {1}.{2} and cp {3} {1}.{4}", pair->source, plain,
                                                  source_language, pair->target, target_language)
                                    : fmt::format("cp {} {}.{}", file, plain, side.language);
  return fmt::format("{} exists, but texts are named NAME.LANGUAGE: run {} there, and set {}: {}", file, commands,
                     side.key, plain);
}

/// The only file whose name has all parts of the wanted name, in any order; "" if there is none, or more than one.
std::string file_with_parts(const std::string& wanted, const Names& names) {
  Names found;
  const Names needed = parts_of(wanted);
  for (const std::string& name : names) {
    const Names parts = parts_of(name);
    if (std::ranges::all_of(needed, [&](const std::string& part) { return has(parts, part); })) {
      found.push_back(name);
    }
  }
  return found.size() == 1 ? found[0] : "";
}

/// The languages of this text that the directory has: en and de if there are NAME.en and NAME.de.
Names languages_of(const std::string& name, const Names& names) {
  constexpr std::size_t kLongest = 10;  // zh-Hant-TW
  const Names kNoLanguages = {"txt", "gz", "bz2", "xz", "zip", "tar", "tsv", "csv", "json", "bak", "tmp", "old"};
  Names languages;
  for (const std::string& file : names) {
    if (!file.starts_with(name + ".")) {
      continue;
    }
    const std::string language = file.substr(name.size() + 1);
    const bool is_word = std::ranges::all_of(
        language, [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '-' || letter == '_'; });
    if (is_word && !language.empty() && language.size() <= kLongest && !has(kNoLanguages, lower_case(language))) {
      languages.push_back(language);
    }
  }
  return languages;
}

/// The text exists, but not in this language: which languages there are, and which key to set. "" if there are none.
std::string other_languages(const std::string& name, const Names& names, const TextSide& side,
                            const std::string& language_key) {
  Names others = languages_of(name, names);
  for (const std::string& language : others) {
    if (lower_case(language) == lower_case(side.language)) {
      return fmt::format("the file is called {0}.{1}: set {2}: {1}, or rename the file to {0}.{3}", name, language,
                         language_key, side.language);
    }
  }
  std::erase(others, side.other_language);
  if (others.empty()) {
    return "";
  }
  Names found;
  for (const std::string& language : others) {
    found.push_back(fmt::format("{}.{}", name, language));
  }
  const std::string files = listed(found);
  return others.size() == 1
             ? fmt::format("there is {}: if this is the text, set {}: {}", files, language_key, others[0])
             : fmt::format("there are {}: set {} to the language of one of them", files, language_key);
}

/// How to get the missing file from one with nearly the same name; "" if there is none.
std::string hint_about_similar_names(const std::string& wanted, const Names& names) {
  for (const std::string& other : names) {
    if (other != wanted && lower_case(other) == lower_case(wanted)) {
      return fmt::format("the file is called {}: rename it to {}, or write {} in the config, too", other, wanted,
                         other);
    }
  }
  const std::string other = file_with_parts(wanted, names);
  if (other.empty()) {
    return "";
  }
  if (other == wanted + ".gz") {
    return fmt::format("unpack the file first: gunzip {}", other);
  }
  return fmt::format("if this is {}, rename it: texts are named NAME.LANGUAGE, here {}", other, wanted);
}

}  // namespace

std::string hint_about_names(const DataSettings& data, const TextSide& side) {
  const fs::path file = data.directory / (side.name + "." + side.language);
  const std::string name = fs::path(side.name).filename().string();
  std::error_code error;
  if (fs::directory_iterator(file.parent_path(), error); error) {
    return "";
  }
  const Names names = names_in(file.parent_path());
  const std::string language_key = side.is_source ? "data.source_language" : "data.target_language";
  if (side.language.starts_with('.')) {
    return fmt::format("write the language without a dot, {}: {}", language_key, side.language.substr(1));
  }
  for (const std::string& language : {side.language, side.other_language}) {
    const std::string twice = "." + language;
    if (name.ends_with(twice) && has(names, name)) {
      return fmt::format("the NAME of a text must not include the language: set {}: {}", side.key,
                         side.name.substr(0, side.name.size() - twice.size()));
    }
  }
  if (std::string hint = other_languages(name, names, side, language_key); !hint.empty()) {
    return hint;
  }
  // If NAME.de exists, a file NAME is something else: it must not become NAME.en.
  if (has(names, name) && languages_of(name, names).empty()) {
    return how_to_rename(name, names, side);
  }
  if (has(names, name + ".txt") && pair_of(name + ".txt", names, side)) {
    return how_to_rename(name + ".txt", names, side);
  }
  return hint_about_similar_names(file.filename().string(), names);
}

}  // namespace glassformer
