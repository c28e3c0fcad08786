#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "config/key.hpp"
#include "config/suggestion.hpp"
#include "files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 11;  // a config and bases nested up to 10 deep

class Reader {
 public:
  explicit Reader(const std::vector<Key>& keys) : keys_(keys) {
    for (const Key& key : keys) {
      for (std::string section = section_of(key.name); !section.empty(); section = section_of(section)) {
        if (is_section(section)) break;
        sections_.push_back(section);
        if (section_of(section).empty()) top_level_ += (top_level_.empty() ? "" : ", ") + section;
      }
      known_.push_back(key.name);
    }
    known_.insert(known_.end(), sections_.begin(), sections_.end());
  }

  void read_file(const fs::path& file) {
    const Value document = read_yaml_file(file);
    if (document.kind == Value::Kind::null)
      throw UserError(fmt::format("{}: empty; expected the sections {}", file.string(), top_level_));
    if (document.kind != Value::Kind::map)
      throw UserError(fmt::format("{}: expected the sections {}, each key followed by a colon and a space; found {}",
                                  at_line(file, document.line), top_level_, describe(document)));
    open_.push_back({file, {}});
    const std::vector<Value>& entries = *document.items;
    const bool has_base = !entries.empty() && entries[0].text == "base";
    if (has_base) read_base(entries[1], place_of("base", entries[0].line));
    read_section("", entries, has_base ? 2 : 0);
    open_.pop_back();
  }

  void read_override(const std::string& text) {
    const std::size_t equals = text.find('=');
    const Place place{"--set " + brief(text, 400), fs::current_path(), 0};
    if (equals == std::string::npos || equals == 0)
      throw UserError(place.name + ": expected KEY=VALUE, for example --set model.dropout=0.2");
    const std::string name = text.substr(0, equals);
    if (is_section(name))
      throw UserError(place.name + ": " + name + " is a section; " + suggest_key(name + ".", known_));
    read_value(name, read_yaml_value(text.substr(equals + 1), place.name), place);
  }

  const Places& places() const { return places_; }

 private:
  struct File {
    fs::path path;
    std::map<std::string, int> lines;  // of the keys and sections met so far
  };

  bool is_section(const std::string& name) const { return std::ranges::find(sections_, name) != sections_.end(); }

  Place place_of(const std::string& name, int line) const {
    const fs::path& file = open_.back().path;
    return {at_line(file, line) + ": " + brief(name), file.parent_path(), open_.size()};
  }

  void read_base(const Value& name, const Place& place) {
    if (name.text.empty())
      throw UserError(place.name + ": expected the name of a config file, found " + describe(name));
    const fs::path base = (place.directory / name.text).lexically_normal();
    check_file(place.name + ": ", base);
    std::string chain;
    for (const File& file : open_) chain += file.path.string() + " -> ";
    for (const File& file : open_)
      if (std::error_code error; fs::equivalent(file.path, base, error))
        throw UserError(place.name + ": a config cannot be a base of itself: " + chain + base.string());
    if (open_.size() == kMostFiles) throw UserError(place.name + ": bases are nested more than 10 deep");
    read_file(base);
  }

  void read_value(const std::string& name, const Value& value, const Place& place) {
    const auto key = std::ranges::find(keys_, name, &Key::name);
    const auto retired = std::ranges::find(retired_keys(), name, &RetiredKey::name);
    if (key != keys_.end())
      key->field.read(value, place);
    else if (retired != retired_keys().end())
      retired->check(value, place);
    else if (name == "base")
      throw UserError(place.name + ": only the first key of a file can be base");
    else
      throw UserError(place.name + ": unknown key; " + suggest_key(name, known_));
    places_[name] = place;
  }

  void read_section(const std::string& section, const std::vector<Value>& entries, std::size_t first = 0) {
    for (std::size_t i = first; i < entries.size(); i += 2) {
      const Value &key = entries[i], &value = entries[i + 1];
      if (key.kind != Value::Kind::scalar)
        throw UserError(at_line(open_.back().path, key.line) + ": expected a key, found " + describe(key));
      const std::string name = (section.empty() ? "" : section + ".") + key.text;
      const Place place = place_of(name, key.line);
      if (const auto [other, is_new] = open_.back().lines.emplace(name, key.line); !is_new)
        throw UserError(place.name + ": given twice; the first is in line " + std::to_string(other->second));
      if (!is_section(name))
        read_value(name, value, place);
      else if (value.kind == Value::Kind::map)
        read_section(name, *value.items);
      else if (value.kind != Value::Kind::null)
        throw UserError(place.name + ": expected a section, its keys indented below it, found " + describe(value));
    }
  }

  const std::vector<Key>& keys_;
  std::vector<std::string> sections_;
  std::string top_level_;           // the names of the sections that are in no other
  std::vector<std::string> known_;  // keys and sections
  std::vector<File> open_;          // the config, and its bases down to the one that is being read
  Places places_;
};

}  // namespace

Places read_keys(const std::vector<Key>& keys, const fs::path& file, const std::vector<std::string>& overrides) {
  Reader reader(keys);
  reader.read_file(file);
  for (const std::string& override_text : overrides) reader.read_override(override_text);
  for (const Key& key : keys)
    if (!key.field.has_value()) throw UserError(file.string() + ": " + key.name + ": missing; it has no default");
  return reader.places();
}

std::string write_keys(const std::vector<Key>& keys, const std::vector<Key>& defaults) {
  std::string text, open;  // `open` is the section written last
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string &name = keys[i].name, section = section_of(name);
    const std::string indent(2 * static_cast<std::size_t>(std::ranges::count(name, '.')), ' ');
    if (section != open) {
      const bool nested = !section_of(section).empty();
      text += (nested ? indent.substr(2) : "\n") + last_part(section) + ":\n";
      open = section;
    }
    const std::string given = indent + last_part(name) + ": " + keys[i].field.write();
    const Field& fallback = defaults[i].field;
    text += fmt::format("{:30}  # {} ({})\n", given, keys[i].comment,
                        fallback.has_value() ? "default " + fallback.write() : "required");
  }
  return text;
}

}  // namespace glassformer
