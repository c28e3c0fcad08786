#include "glassformer/page/step_code.hpp"

#include <algorithm>
#include <stdexcept>

#include "glassformer/numerics/errors.hpp"
#include "glassformer/page/code_structure.hpp"

namespace glassformer {
namespace {

/// A source file and its records.
class RecordedCode {
 public:
  explicit RecordedCode(std::string_view text) : tokens_(cpp_tokens(text)), structure_(tokens_) {
    for (std::size_t token = 1; token < code().size(); ++token) {
      if (code()[token - 1].is(".") && code()[token].is("record")) {
        records_.push_back(token);
      }
    }
  }

  StepCode code_of_record_on(int line) const {
    for (const std::size_t record : records_) {
      const auto [brace, statements, at] = place_of(record);
      if (code()[statements[at].begin].line <= line && line <= code()[statements[at].end - 1].last_line()) {
        return step_code(structure_.function_around(record), record);
      }
    }
    throw_or_abort(std::logic_error("line " + std::to_string(line) + " records nothing"));
  }

 private:
  struct Place {
    std::size_t brace;                   ///< opens the block
    std::vector<TokenRange> statements;  ///< in the block
    std::size_t at;                      ///< which of them contains the token
  };

  const std::vector<CppToken>& code() const { return structure_.code(); }

  Place place_of(std::size_t token) const {
    const std::size_t brace = structure_.block_around(token);
    Place place{brace, structure_.statements_in(brace), 0};
    while (!place.statements[place.at].contains(token)) {
      ++place.at;
    }
    return place;
  }
  bool contains_record(const TokenRange& statement) const {
    return std::ranges::any_of(records_, [&](std::size_t record) { return statement.contains(record); });
  }
  /// Whether the statement, which is directly inside the block at `brace`, is itself a record.
  bool is_record(const TokenRange& statement, std::size_t brace) const {
    return std::ranges::any_of(records_, [&](std::size_t record) {
      return statement.contains(record) && structure_.block_around(record) == brace;
    });
  }

  /// The statements before the one that contains the token, back to an earlier record; none if there are none.
  TokenRange statements_before(const Place& place) const {
    std::size_t end = place.at;
    while (end > 0 && is_record(place.statements[end - 1], place.brace)) {
      --end;  // consecutive records keep results of the same statements
    }
    std::size_t begin = end;
    while (begin > 0 && !contains_record(place.statements[begin - 1])) {
      --begin;
    }
    if (begin == end && begin > 0) {
      --begin;  // directly after an inner block with a record: that block
    }
    return {place.statements[begin].begin, place.statements[end].begin};
  }

  StepCode step_code(const CodeStructure::Function& function, std::size_t record) const {
    const Place itself = place_of(record);
    for (std::size_t token = record; token != function.brace; token = structure_.block_around(token)) {
      const TokenRange found = statements_before(place_of(token));
      if (found.begin < found.end) {
        return with_comments(function.name, found);
      }
    }
    return with_comments(function.name, itself.statements[itself.at]);  // a function that does nothing before it
  }

  /// Adds the comments before the first statement, unless they are on the line of what precedes it, and those up to
  /// the record.
  StepCode with_comments(const std::string& function, const TokenRange& statements) const {
    const CppToken& before = code()[statements.begin - 1];
    const char* const end = code()[statements.end].text.data();
    auto first =
        std::ranges::find(tokens_, before.text.data(), [](const CppToken& token) { return token.text.data(); });
    do {
      ++first;
    } while (!first->is_code() && first->line == before.last_line());
    auto last = first;
    while (std::next(last)->text.data() != end) {
      ++last;
    }
    const auto size = static_cast<std::size_t>(last->text.data() - first->text.data()) + last->text.size();
    return {function, {first->text.data(), size}, first->line, last->last_line()};
  }

  std::vector<CppToken> tokens_;
  CodeStructure structure_;
  std::vector<std::size_t> records_;  // the tokens `record` after a point
};

}  // namespace

StepCode code_of_record(std::string_view text, int line) { return RecordedCode(text).code_of_record_on(line); }

std::string path_in_project(std::string_view path) {
  const auto at = path.rfind("src/");
  return std::string(at == std::string_view::npos ? path : path.substr(at));
}

}  // namespace glassformer
