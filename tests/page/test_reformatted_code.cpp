#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/page/cpp_tokens.hpp"
#include "glassformer/page/embedded_files.hpp"
#include "glassformer/page/step_code.hpp"
#include "temporary_directory.hpp"

using namespace glassformer;
namespace fs = std::filesystem;

namespace {

/// The text of every C++ file that has records, by path.
using Sources = std::map<std::string, std::string>;

/// The line of each record in a file, in order.
std::vector<int> lines_of_records(std::string_view text) {
  const std::vector<CppToken> tokens = cpp_tokens(text);
  std::vector<int> lines;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i - 1].is(".") && tokens[i].is("record")) {
      lines.push_back(tokens[i].line);
    }
  }
  return lines;
}

const Sources& original_sources() {
  static const Sources sources = [] {
    Sources found;
    for (const auto& [path, text] : embedded_files()) {
      if (path.ends_with(".cpp") && !lines_of_records(text).empty()) {
        found.emplace(path, text);
      }
    }
    return found;
  }();
  return sources;
}

/// Code that does not depend on the formatting: its tokens, with adjacent string literals joined, and the words of its
/// comments.
struct Words {
  std::vector<std::string> code, comments;

  bool operator==(const Words&) const = default;
};

Words words_of(std::string_view text) {
  Words words;
  bool string_before = false;
  for (const CppToken& token : cpp_tokens(text)) {
    if (token.kind == TokenKind::comment) {
      const std::size_t begin = std::min(token.text.find_first_not_of('/'), token.text.size());
      std::istringstream comment{std::string(token.text.substr(begin))};
      for (std::string word; comment >> word;) {
        words.comments.push_back(word);
      }
      continue;
    }
    const bool is_string = token.kind == TokenKind::string;
    if (is_string && string_before) {
      words.code.back().pop_back();
      words.code.back() += token.text.substr(1);
    } else {
      words.code.emplace_back(token.text);
    }
    string_before = is_string;
  }
  return words;
}

/// Compares the function and the statements of each record with those in the original.
void check_same_code(const Sources& reformatted) {
  std::size_t records = 0;
  std::size_t changed_files = 0;
  for (const auto& [path, text] : original_sources()) {
    const std::string& other = reformatted.at(path);
    const std::vector<int> lines = lines_of_records(text);
    const std::vector<int> other_lines = lines_of_records(other);
    changed_files += text != other ? 1 : 0;
    REQUIRE(lines.size() == other_lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      CAPTURE(path, lines[i], other_lines[i]);
      const StepCode code = code_of_record(text, lines[i]);
      const StepCode other_code = code_of_record(other, other_lines[i]);
      CHECK(other_code.function == code.function);
      CHECK(words_of(other_code.statements).code == words_of(code.statements).code);
      CHECK(words_of(other_code.statements).comments == words_of(code.statements).comments);
    }
    records += lines.size();
  }
  CHECK(records > 30);
  CHECK(changed_files > 5);
}

/// The sources without indentation and blank lines, with `separator` between two tokens. A comment that ends a line
/// still does.
Sources with_separator(const auto& separator) {
  Sources sources;
  for (const auto& [path, text] : original_sources()) {
    std::string& written = sources[path];
    const CppToken* before = nullptr;
    const std::vector<CppToken> tokens = cpp_tokens(text);
    for (const CppToken& token : tokens) {
      if (before != nullptr) {
        const bool trailing = token.kind == TokenKind::comment && before->last_line() == token.line;
        const bool must_end = !before->is_code() || token.kind == TokenKind::directive;
        written += trailing ? " " : must_end || (!token.is_code()) ? "\n" : separator(*before);
      }
      written += token.text;
      before = &token;
    }
    written += '\n';
  }
  return sources;
}

}  // namespace

TEST_CASE("With each token on a line of its own, each step has the same code", "[page]") {
  check_same_code(with_separator([](const CppToken&) { return "\n"; }));
}

TEST_CASE("With each statement on one line and no blank lines, each step has the same code", "[page]") {
  check_same_code(with_separator(
      [](const CppToken& before) { return before.is(";") || before.is("{") || before.is("}") ? "\n" : " "; }));
}

TEST_CASE("With other settings of clang-format, each step has the same code", "[page]") {
  if (std::system("clang-format --version > /dev/null 2>&1") != 0) {
    WARN("SKIPPED: clang-format is missing (Debian: clang-format)");
    return;
  }
  for (const std::string style :
       {"BasedOnStyle: Google, ColumnLimit: 60", "BasedOnStyle: Google, ColumnLimit: 200",
        "BasedOnStyle: Google, ColumnLimit: 80, BinPackArguments: false, BinPackParameters: false",
        "BasedOnStyle: Microsoft, ColumnLimit: 100, MaxEmptyLinesToKeep: 0"}) {
    CAPTURE(style);
    const test::TemporaryDirectory directory;
    for (const auto& [path, text] : original_sources()) {
      directory.write(fs::path(path).filename().string(), text);
    }
    const std::string files = (directory / "*.cpp").string();
    REQUIRE(std::system(("clang-format -i --style='{" + style + "}' " + files).c_str()) == 0);
    Sources reformatted;
    for (const auto& [path, text] : original_sources()) {
      reformatted[path] = stand_in::read_bytes(directory / fs::path(path).filename());
    }
    check_same_code(reformatted);
  }
}
