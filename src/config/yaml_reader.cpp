#include "config/yaml_reader.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "config/retired_keys.hpp"
#include "config/suggestion.hpp"
#include "files/lines.hpp"
#include "user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// "toy.yaml:31"; yaml-cpp counts lines from 0.
std::string at_line(const std::string& file, int line) { return file + ":" + std::to_string(line + 1); }

/// The text of the file. YAML forbids tabs before a key, and yaml-cpp says so only sometimes.
std::string read_text(const fs::path& file) {
  if (file.empty()) throw UserError("expected the name of a config file, found \"\"");
  std::error_code error;
  if (!fs::exists(file, error)) throw UserError(file.string() + ": no such file; " + suggest_file(file));
  std::string text;
  int line = 0;
  for (const std::string& content : read_lines(file)) {
    const std::size_t begin = content.find_first_not_of(" \t");
    if (begin != std::string::npos && content[begin] != '#' && content.find('\t') < begin)
      throw UserError(at_line(file.string(), line) + ": a tab before \"" + brief(content.substr(begin)) +
                      "\"; YAML wants spaces there");
    text += content + "\n";
    ++line;
  }
  return text;
}

/// Where documents begin in a text of YAML. (YAML::LoadAll would tell, too; but on a comma outside of any brackets it
/// finds empty documents without end.)
class DocumentStarts final : public YAML::EventHandler {
 public:
  /// The line, from 0. Nothing: there is but one document.
  static std::optional<int> second_in(const std::string& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStarts starts;
    if (!parser.HandleNextDocument(starts) || !parser.HandleNextDocument(starts)) return std::nullopt;
    return starts.last_;
  }

  void OnDocumentStart(const YAML::Mark& mark) override { last_ = mark.line; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  int last_ = 0;
};

class Reader {
 public:
  Reader(const std::vector<Key>& keys, const fs::path& file) : keys_(keys), file_(file.string()) {
    for (const Key& key : keys) {
      for (std::string section = section_of(key.name); !section.empty(); section = section_of(section))
        if (!is_section(section)) sections_.push_back(section);
      known_.push_back(key.name);
    }
    known_.insert(known_.end(), sections_.begin(), sections_.end());
  }

  void read_file() {
    const std::string text = read_text(file_);
    YAML::Node document;
    std::optional<int> second;
    try {
      document = YAML::Load(text);
      second = DocumentStarts::second_in(text);
    } catch (const YAML::Exception& error) {
      throw UserError(at_line(file_, error.mark.line) + ": not valid YAML: " + error.msg +
                      "; look at indentation, colons, quotes and brackets in this line and before it");
    }
    if (second)
      throw UserError(at_line(file_, *second) + ": expected one YAML document, found the begin of a second " +
                      "one; remove a line ---, or what stands here outside of any section");
    if (document.IsNull()) throw UserError(file_ + ": empty; expected the sections " + top_level());
    if (!document.IsMap())
      throw UserError(at_line(file_, document.Mark().line) + ": expected the sections " + top_level() +
                      ", each key followed by a colon and a space; found " + describe(document));
    read_section("", document);
  }

  void read_override(const std::string& text) {
    const std::size_t equals = text.find('=');
    const Place place{"--set " + brief(text, 400), fs::current_path(), true};
    if (equals == std::string::npos || equals == 0)
      throw UserError(place.name + ": expected KEY=VALUE, for example --set model.dropout=0.2");
    const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
    if (is_section(name))
      throw UserError(place.name + ": " + name + " is a section; " + suggest_key(name + ".", known_));
    YAML::Node node{std::string()};  // "KEY=" means the empty text
    try {
      if (!value.empty()) node = YAML::Load(value);
    } catch (const YAML::Exception& error) {
      throw UserError(place.name + ": the value is not valid YAML: " + error.msg);
    }
    read_value(name, node, place);
  }

  Places finish() {
    for (const Key& key : keys_)
      if (key.required && !places_.contains(key.name))
        throw UserError(file_ + ": " + key.name + ": missing; it has no default");
    return places_;
  }

 private:
  bool is_section(const std::string& name) const {
    return std::find(sections_.begin(), sections_.end(), name) != sections_.end();
  }

  std::string top_level() const {
    std::string list;
    for (const std::string& section : sections_)
      if (section_of(section).empty()) list += (list.empty() ? "" : ", ") + section;
    return list;
  }

  void read_value(const std::string& name, const YAML::Node& node, const Place& place) {
    const auto key = std::ranges::find(keys_, name, &Key::name);
    const RetiredKey* const retired = find_retired_key(name);
    if (retired)
      check_retired_key(*retired, node, place);
    else if (key != keys_.end())
      key->read(node, place);
    else
      throw UserError(place.name + ": unknown key; " + suggest_key(name, known_));
    places_[name] = place;
  }

  void read_section(const std::string& section, const YAML::Node& node) {
    for (const auto& entry : node) {
      const int line = entry.first.Mark().line;
      if (!entry.first.IsScalar())
        throw UserError(at_line(file_, line) + ": expected a key, found " + describe(entry.first));
      const std::string name = (section.empty() ? "" : section + ".") + entry.first.Scalar();
      const Place place{at_line(file_, line) + ": " + brief(name), fs::path(file_).parent_path()};
      if (const auto [first, is_new] = lines_.emplace(name, line); !is_new)
        throw UserError(place.name + ": given twice; the first is in line " +
                        std::to_string(first->second + 1));
      if (!is_section(name)) {
        read_value(name, entry.second, place);
      } else if (entry.second.IsMap()) {
        read_section(name, entry.second);
      } else if (!entry.second.IsNull()) {
        throw UserError(place.name + ": expected a section, its keys indented below it, found " +
                        describe(entry.second));
      }
    }
  }

  const std::vector<Key>& keys_;
  std::string file_;
  std::vector<std::string> sections_;
  std::vector<std::string> known_;    // keys and sections
  std::map<std::string, int> lines_;  // of all keys and sections met so far
  Places places_;
};

}  // namespace

Places read_yaml(const std::vector<Key>& keys, const fs::path& file,
                 const std::vector<std::string>& overrides) {
  Reader reader(keys, file);
  reader.read_file();
  for (const std::string& override_text : overrides) reader.read_override(override_text);
  return reader.finish();
}

std::string write_yaml(const std::vector<Key>& keys) {
  std::string text, open;  // `open` is the section written last
  for (const Key& key : keys) {
    const std::string section = section_of(key.name);
    const std::string indent(2 * static_cast<std::size_t>(std::count(key.name.begin(), key.name.end(), '.')),
                             ' ');
    if (section != open) {
      const bool nested = !section_of(section).empty();
      text += nested ? indent.substr(2) : "\n";
      text += last_part(section) + ":\n";
      open = section;
    }
    text += indent + last_part(key.name) + ": " + key.write() + "\n";
  }
  return text;
}

}  // namespace glassformer
