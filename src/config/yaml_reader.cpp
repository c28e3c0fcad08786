#include "config/yaml_reader.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <sstream>
#include <utility>

#include "config/suggestion.hpp"
#include "files/lines.hpp"
#include "files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// Builds a Value from what yaml-cpp meets in a document.
class ValueBuilder final : public YAML::EventHandler {
 public:
  Value value;
  int first_line = 1;

  void OnDocumentStart(const YAML::Mark& mark) override { first_line = mark.line + 1; }  // yaml-cpp counts from 0
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add({Value::Kind::null, mark.line + 1}, anchor);
  }
  void OnAlias(const YAML::Mark&, YAML::anchor_t anchor) override { add(anchored_[anchor], 0); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    add({Value::Kind::scalar, mark.line + 1, text, tag == "!"}, anchor);  // so yaml-cpp marks "1" against 1
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back({{Value::Kind::list, mark.line + 1}, anchor, {}});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back({{Value::Kind::map, mark.line + 1}, anchor, {}});
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Value value;
    YAML::anchor_t anchor;
    std::vector<Value> items;
  };

  void add(Value added, YAML::anchor_t anchor) {
    if (anchor != 0) anchored_[anchor] = added;
    (open_.empty() ? value : open_.back().items.emplace_back()) = std::move(added);
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    closed.value.items = std::make_shared<const std::vector<Value>>(std::move(closed.items));
    add(std::move(closed.value), closed.anchor);
  }

  std::vector<Open> open_;  // lists and maps around the place of the parser
  std::map<YAML::anchor_t, Value> anchored_;
};

/// The text of the file. YAML forbids tabs before a key, and yaml-cpp says so only sometimes.
std::string read_text(const fs::path& file) {
  if (file.empty()) throw UserError("expected the name of a config file, found \"\"");
  std::error_code error;
  if (!fs::exists(file, error)) throw UserError(file.string() + ": no such file; " + suggest_file(file));
  std::string text;
  int line = 1;
  for (const std::string& content : read_lines(file)) {
    const std::size_t begin = content.find_first_not_of(" \t");
    if (begin != std::string::npos && content[begin] != '#' && content.find('\t') < begin)
      throw UserError(at_line(file, line) + ": a tab before \"" + brief(content.substr(begin)) +
                      "\"; YAML wants spaces there");
    text += content + "\n";
    ++line;
  }
  return text;
}

}  // namespace

std::string describe(const Value& value) {
  if (value.kind == Value::Kind::list) return "a list";
  if (value.kind == Value::Kind::map) return "a section";
  if (value.kind == Value::Kind::null) return "nothing";
  return parse_number<double>(value.text) && !value.quoted ? value.text : "\"" + brief(value.text) + "\"";
}

std::string at_line(const fs::path& file, int line) { return file.string() + ":" + std::to_string(line); }

Value read_yaml_file(const fs::path& file) {
  std::istringstream text(read_text(file));
  ValueBuilder document, second;
  bool has_second = false;
  try {
    YAML::Parser parser(text);
    has_second = parser.HandleNextDocument(document) && parser.HandleNextDocument(second);
  } catch (const YAML::Exception& error) {
    throw UserError(at_line(file, error.mark.line + 1) + ": not valid YAML: " + error.msg +
                    "; look at indentation, colons, quotes and brackets in this line and before it");
  }
  if (has_second)
    throw UserError(at_line(file, second.first_line) + ": expected one YAML document, found the begin of a second " +
                    "one; remove a line ---, or what stands here outside of any section");
  return document.value;
}

Value read_yaml_value(const std::string& text, const std::string& place) {
  if (text.empty()) return {Value::Kind::scalar};
  std::istringstream stream(text);
  ValueBuilder document;
  try {
    YAML::Parser(stream).HandleNextDocument(document);
  } catch (const YAML::Exception& error) {
    throw UserError(place + ": the value is not valid YAML: " + error.msg);
  }
  return document.value;
}

}  // namespace glassformer
