#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "glassformer/page/cpp_tokens.hpp"

namespace glassformer {

/// Tokens from `begin` up to, but not including, `end`.
struct TokenRange {
  std::size_t begin = 0, end = 0;

  bool contains(std::size_t token) const { return begin <= token && token < end; }
};

/// The blocks, statements and functions of a C++ source file, as far as brackets, semicolons and keywords show them.
class CodeStructure {
 public:
  /// Takes the tokens of a whole file and drops comments and directives. The numbers below are positions in code().
  /// Throws std::logic_error if the brackets do not match.
  explicit CodeStructure(const std::vector<CppToken>& tokens);

  const std::vector<CppToken>& code() const { return code_; }

  /// The brace that opens the innermost block around this token. Throws std::logic_error if there is none.
  std::size_t block_around(std::size_t token) const;
  /// The statements directly inside the block that this brace opens.
  std::vector<TokenRange> statements_in(std::size_t brace) const;

  /// A function with its body.
  struct Function {
    std::string name;       ///< "Linear::forward": without template arguments
    std::size_t brace = 0;  ///< opens its body
  };
  /// The function that contains this token. Throws std::logic_error if there is none.
  Function function_around(std::size_t token) const;

 private:
  std::vector<std::size_t> braces_around(std::size_t token) const;
  std::size_t end_of_statement(std::size_t begin, std::size_t end) const;
  TokenRange head_of(std::size_t brace) const;
  std::size_t before_template_arguments(std::size_t last) const;
  std::string qualified_name(std::size_t last) const;
  bool is(std::size_t token, std::string_view text) const { return token < code_.size() && code_[token].is(text); }

  std::vector<CppToken> code_;
  std::vector<std::size_t> partner_;  // of a bracket, the one that matches; of another token, itself
};

}  // namespace glassformer
