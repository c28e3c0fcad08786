#include "page/step_code.hpp"

#include <cassert>
#include <regex>
#include <sstream>
#include <vector>

namespace glassformer {
namespace {

/// The indentation of a line; npos, which is greater than any other, for a blank line.
std::size_t indent_of(const std::string& line) { return line.find_first_not_of(' '); }

bool records(const std::string& line) {
  return line.find(".record(") != std::string::npos || line.find(".record_copy(") != std::string::npos;
}

/// The first line of the paragraph that ends just above line `last`. Indentation tells the blocks apart.
std::size_t start_of_paragraph(const std::vector<std::string>& lines, std::size_t last) {
  const std::size_t indent = indent_of(lines[last]);
  std::size_t first = last;
  for (; first > 0; --first) {
    const std::string& above = lines[first - 1];
    const std::size_t above_indent = indent_of(above);
    if (above_indent == std::string::npos && indent_of(lines[first]) <= indent) {
      break;  // (deeper: inside a loop)
    }
    if (above_indent > indent || (above_indent == indent && !records(above))) {
      continue;
    }
    // The line above is a record or the head of the block. Either may span several lines: skip them all.
    while (first < last && !lines[first - 1].ends_with(';') && !lines[first - 1].ends_with('{')) {
      ++first;
    }
    break;
  }
  return first;
}

/// "LayerNorm::backward": the name of the function that line `from` is in.
std::string function_above(const std::vector<std::string>& lines, std::size_t from, const std::string& fallback) {
  static const std::regex head(R"((\w+)<Scalar>::(\w+)\()");
  for (std::size_t i = from + 1; i-- > 0;) {
    std::smatch match;
    const bool indented = lines[i].starts_with(' ');
    if (!indented && std::regex_search(lines[i], match, head)) {
      return match[1].str() + "::" + match[2].str();
    }
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
  stream.exceptions(std::ios::badbit);  // otherwise, getline would treat a lack of memory as the end
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  assert(step.line >= 1 && step.line <= std::ssize(lines));
  // Go up to the first line of the record, then past the records directly above it, which record the same paragraph.
  auto last = static_cast<std::size_t>(step.line - 1);
  while (last > 0 && !records(lines[last])) {
    --last;
  }
  for (std::size_t above = last; above-- > 0;) {
    const std::size_t indent = indent_of(lines[above]);
    if (indent != std::string::npos && indent > indent_of(lines[last])) {
      continue;  // a later line of a statement
    }
    if (!records(lines[above])) {
      break;
    }
    last = above;
  }
  const std::size_t first = start_of_paragraph(lines, last);
  // Line numbers start at 1, so the record's index `last` is the number of the line above it.
  return {path_in_project(step.file), function_above(lines, first, step.function), static_cast<int>(first) + 1,
          static_cast<int>(last)};
}

}  // namespace glassformer
