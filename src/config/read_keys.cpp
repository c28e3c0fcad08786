#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "glassformer/config/key.hpp"
#include "glassformer/config/yaml.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 11;  // a config and bases nested up to 10 deep

class Reader {
 public:
  Places places;  // where each key was given

  explicit Reader(const std::vector<Key>& keys) : keys_(keys) {
    for (const Key& key : keys) {
      const std::string section = section_of(key.name);
      if (!is_section(section)) {  // new; a section's own keys come before its subsections
        sections_.push_back(section);
        if (section_of(section).empty()) {
          top_level_ += (top_level_.empty() ? "" : ", ") + section;
        }
      }
      known_.push_back(key.name);
    }
    known_.insert(known_.end(), sections_.begin(), sections_.end());
  }

  void read_file(const fs::path& file) {
    const YAML::Node document = read_document(file);
    if (document.IsNull()) {
      throw UserError(fmt::format("{}: expected the sections {}, found an empty file", file.string(), top_level_));
    }
    if (!document.IsMap()) {
      throw UserError(fmt::format("{}: expected the sections {}, found {}; put a colon and a space after each key",
                                  at_line(file, line_of(document)), top_level_, describe(value_of(document))));
    }
    open_.push_back({file, {}});
    read_section("", document);
    open_.pop_back();
  }

  void read_override(const std::string& text) {
    const std::size_t equals = text.find('=');
    const Place place{"--set " + brief(text, 400), fs::current_path(), 0};
    if (equals == std::string::npos || equals == 0) {
      throw UserError(place.name + ": expected KEY=VALUE, for example --set model.dropout=0.2");
    }
    const std::string name = text.substr(0, equals);
    if (is_section(name)) {
      throw UserError(place.name + ": expected a key, found a section; " + suggest_key(name + ".", known_));
    }
    read_value(name, value_of(read_override_value(text.substr(equals + 1), place.name)), place);
  }

 private:
  struct File {
    fs::path path;
    std::map<std::string, int> lines;  // of the keys and sections read so far
  };

  bool is_section(const std::string& name) const { return std::ranges::find(sections_, name) != sections_.end(); }

  Place place_of(const std::string& name, int line) const {
    const fs::path& file = open_.back().path;
    return {at_line(file, line) + ": " + brief(name), file.parent_path(), open_.size()};
  }

  void read_base(const YAML::Node& name, const Place& place) {
    if (name.Scalar().empty()) {
      throw UserError(place.name + ": expected the name of a config file, found " + describe(value_of(name)));
    }
    const fs::path base = (place.directory / name.Scalar()).lexically_normal();
    check_file(place.name + ": ", base);
    std::string chain;
    for (const File& file : open_) {
      chain += file.path.string() + " -> ";
    }
    for (const File& file : open_) {
      if (std::error_code error; fs::equivalent(file.path, base, error)) {
        throw UserError(place.name + ": a config cannot be its own base: " + chain + base.string());
      }
    }
    if (open_.size() == kMostFiles) {
      throw UserError(place.name + ": bases are nested more than 10 deep");
    }
    read_file(base);
  }

  void read_value(const std::string& name, const Value& value, const Place& place) {
    const auto key = std::ranges::find(keys_, name, &Key::name);
    const auto retired = std::ranges::find(retired_keys(), name, &RetiredKey::name);
    if (key != keys_.end()) {
      key->field.read(value, place);
    } else if (retired != retired_keys().end()) {
      retired->check(value, place);
    } else if (name == "base") {
      throw UserError(place.name + ": allowed only as the first key of a config file");
    } else {
      throw UserError(place.name + ": unknown key; " + suggest_key(name, known_));
    }
    places[name] = place;
  }

  void read_section(const std::string& section, const YAML::Node& entries) {
    bool is_first = section.empty();  // the first key of the file, the only one that can be base
    for (const auto& entry : entries) {
      const YAML::Node& key = entry.first;
      const YAML::Node& value = entry.second;
      if (!key.IsScalar()) {
        throw UserError(at_line(open_.back().path, line_of(key)) + ": expected a key, found " +
                        describe(value_of(key)));
      }
      const std::string name = (section.empty() ? "" : section + ".") + key.Scalar();
      const Place place = place_of(name, line_of(key));
      if (std::exchange(is_first, false) && name == "base") {
        read_base(value, place);
        continue;
      }
      if (const auto [other, is_new] = open_.back().lines.emplace(name, line_of(key)); !is_new) {
        throw UserError(place.name + ": given twice; first given on line " + std::to_string(other->second));
      }
      if (!is_section(name)) {
        read_value(name, value_of(value), place);
      } else if (value.IsMap()) {
        read_section(name, value);
      } else if (!value.IsNull()) {
        throw UserError(place.name + ": expected a section with its keys indented below it, found " +
                        describe(value_of(value)));
      }
    }
  }

  const std::vector<Key>& keys_;
  std::vector<std::string> sections_;
  std::string top_level_;           // the names of the sections that are not inside another
  std::vector<std::string> known_;  // keys and sections
  std::vector<File> open_;          // the config and its bases, down to the one being read
};

}  // namespace

Places read_overrides(const std::vector<Key>& keys, const std::vector<std::string>& overrides) {
  Reader reader(keys);
  for (const std::string& override_text : overrides) {
    reader.read_override(override_text);
  }
  return reader.places;
}

Places read_keys(const std::vector<Key>& keys, const fs::path& file, const std::vector<std::string>& overrides) {
  Reader reader(keys);
  reader.read_file(file);
  for (const std::string& override_text : overrides) {
    reader.read_override(override_text);
  }
  for (const Key& key : keys) {
    if (!key.field.has_value()) {
      throw UserError(file.string() + ": " + key.name + ": missing; it has no default");
    }
  }
  return reader.places;
}

}  // namespace glassformer
