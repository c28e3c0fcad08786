#include "glassformer/config/yaml.hpp"

#include <spdlog/fmt/fmt.h>
#include <yaml-cpp/eventhandler.h>

#include <sstream>
#include <system_error>

#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/files/lines.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

enum class Items { left_out, included };

Value value_with(const YAML::Node& node, Items items) {
  using Kind = Value::Kind;
  const Kind list_or_text = node.IsSequence() ? Kind::list : Kind::text;
  const bool is_quoted = node.Tag() == "!";  // yaml-cpp's tag for quoted text
  Value value{node.IsNull()  ? Kind::nothing
              : node.IsMap() ? Kind::section
                             : list_or_text,
              node.Scalar(),
              is_quoted,
              {}};
  if (value.kind == Kind::list && items == Items::included) {
    for (const YAML::Node& item : node) {
      value.items.push_back(value_with(item, Items::left_out));
    }
  }
  return value;
}

/// The text of the file. YAML forbids tabs before a key, but yaml-cpp does not always report them.
std::string read_config_text(const fs::path& file) {
  if (file.empty()) {
    throw UserError("expected the name of a config file, found \"\"");
  }
  std::error_code error;
  if (fs::status(file, error).type() == fs::file_type::not_found) {
    throw UserError(file.string() + ": no such file; " + suggest_file(file));
  }
  std::string text;
  LineReader reader(file);
  for (std::string content; reader.next(content);) {
    const std::size_t begin = content.find_first_not_of(" \t");
    if (begin != std::string::npos && content[begin] != '#' && content.find('\t') < begin) {
      throw UserError(at_line(file, reader.lines_read()) + ": expected spaces before \"" +
                      brief(content.substr(begin)) + "\", found a tab; YAML does not allow tabs there");
    }
    text += content + "\n";
    if (text.size() > kLongestConfig) {  // it may be a device or a pipe
      throw UserError(fmt::format("{}: expected a config of at most {} bytes, found more; is this a config file?",
                                  file.string(), kLongestConfig));
    }
  }
  return text;
}

/// Records only the line where a document starts.
struct DocumentStart final : YAML::EventHandler {
  using Style = YAML::EmitterStyle::value;
  int line = 1;

  void OnDocumentStart(const YAML::Mark& mark) override { line = mark.line + 1; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, Style) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, Style) override {}
  void OnMapEnd() override {}
};

}  // namespace

std::string at_line(const fs::path& file, Index line) { return fmt::format("{}:{}", file.string(), line); }

int line_of(const YAML::Node& node) { return node.Mark().line + 1; }  // yaml-cpp counts from 0

Value value_of(const YAML::Node& node) { return value_with(node, Items::included); }

// (YAML::LoadAll never returns on "#\n,".)
YAML::Node read_document(const fs::path& file) try {
  const std::string text = read_config_text(file);
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStart start;
  if (parser.HandleNextDocument(start) && parser.HandleNextDocument(start)) {
    throw UserError(at_line(file, start.line) + ": expected one YAML document, found the start of a second one; " +
                    "remove the line ---, or the text here that is outside any section");
  }
  return YAML::Load(text);
} catch (const YAML::Exception& error) {
  throw UserError(at_line(file, error.mark.line + 1) + ": not valid YAML: " + error.msg +
                  "; check indentation, colons, quotes and brackets on this line and before it");
}

YAML::Node read_override_value(const std::string& text, const std::string& place) try {
  return text.empty() ? YAML::Node(text) : YAML::Load(text);
} catch (const YAML::Exception& error) {
  throw UserError(place + ": the value is not valid YAML: " + error.msg);
}

}  // namespace glassformer
