#include <cassert>
#include <map>
#include <regex>
#include <sstream>

#include "page/trace_json.hpp"

namespace glassformer {
namespace {

/// How far a line is indented; a blank line further than any other.
std::size_t indent_of(const std::string& line) { return line.find_first_not_of(' '); }

bool records(const std::string& line) {
  return line.find(".record(") != std::string::npos || line.find(".record_copy(") != std::string::npos;
}

/// Where the paragraph begins that ends above line `last`. Indentation shows the blocks.
std::size_t begin_of_paragraph(const std::vector<std::string>& lines, std::size_t last) {
  const std::size_t indent = indent_of(lines[last]);
  std::size_t first = last;
  for (; first > 0; --first) {
    const std::string& above = lines[first - 1];
    const std::size_t above_indent = indent_of(above);
    if (above_indent == std::string::npos && indent_of(lines[first]) <= indent) break;  // (deeper is inside of a loop)
    if (above_indent > indent || (above_indent == indent && !records(above))) continue;
    // A record, or the head of the block, which may take several lines.
    while (first < last && !lines[first - 1].ends_with(';') && !lines[first - 1].ends_with('{')) ++first;
    break;
  }
  return first;
}

/// "LayerNorm::backward": what stands before the parameters, above line `from`.
std::string function_above(const std::vector<std::string>& lines, std::size_t from, const std::string& fallback) {
  static const std::regex head(R"((\w+)<Scalar>::(\w+)\()");
  for (std::size_t i = from + 1; i-- > 0;) {
    std::smatch match;
    const bool indented = lines[i].starts_with(' ');
    if (!indented && std::regex_search(lines[i], match, head)) return match[1].str() + "::" + match[2].str();
  }
  return fallback;
}

}  // namespace

std::string path_in_project(std::string_view path) {
  const auto at = path.rfind("src/");
  return std::string(at == std::string_view::npos ? path : path.substr(at));
}

CodeLines lines_that_computed(const RecordedStep& step, std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  assert(step.line >= 1 && step.line <= std::ssize(lines));
  // Up to the first line of the record, and past the records directly above it: they tell of the same paragraph.
  auto last = static_cast<std::size_t>(step.line - 1);
  while (last > 0 && !records(lines[last])) --last;
  for (std::size_t above = last; above-- > 0;) {
    const std::size_t indent = indent_of(lines[above]);
    if (indent != std::string::npos && indent > indent_of(lines[last])) continue;  // a line of a longer statement
    if (!records(lines[above])) break;
    last = above;
  }
  const std::size_t first = begin_of_paragraph(lines, last);
  // Lines count from 1, so `last`, the index of the record, is the number of the line above it.
  return {path_in_project(step.file), function_above(lines, first, step.function), static_cast<int>(first) + 1,
          static_cast<int>(last)};
}

bool is_backward(const RecordedStep& step) { return step.function.find("backward") != std::string::npos; }

std::vector<std::optional<std::size_t>> differentiated_steps(const Recording& recording) {
  std::map<std::pair<std::string, std::string>, std::size_t> readers;  // (part, input) -> the last step that reads it
  std::map<std::size_t, std::size_t> makers;                           // tensor -> the step that computed it
  std::vector<std::optional<std::size_t>> differentiated(recording.steps().size());
  for (std::size_t i = 0; i < recording.steps().size(); ++i) {
    const RecordedStep& step = recording.steps()[i];
    makers[step.output] = i;
    if (!is_backward(step)) {
      for (const RecordedStep::Input& input : step.inputs) readers[{step.part, input.name}] = i;
      continue;
    }
    const std::string& name = recording.tensors()[step.output].name;
    if (!name.starts_with("d_")) continue;
    const auto reader = readers.find({step.part, name.substr(2)});
    if (reader != readers.end())
      differentiated[i] = reader->second;
    else if (const auto summand = makers.find(step.inputs.front().tensor); step.adds && summand != makers.end())
      differentiated[i] = differentiated[summand->second];  // a sum over parts: what its summand differentiates
  }
  return differentiated;
}

}  // namespace glassformer
