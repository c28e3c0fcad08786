#pragma once

#include <string_view>
#include <vector>

/// Splits C++ source code into tokens, as far as finding functions and statements requires.
namespace glassformer {

enum class TokenKind {
  identifier,   ///< also keywords, and the prefix of a literal such as u8"a"
  number,       ///< 1'000, 0x1p-3, 2.0F
  string,       ///< with quotes; a raw string with R, delimiters and parentheses
  character,    ///< 'a'
  punctuation,  ///< one character; only "::" is a single token of two
  comment,      ///< from // to the end of the line, or /* to */
  directive,    ///< from # to the end of the line, or of the last line continued by a backslash
};

struct CppToken {
  TokenKind kind;
  std::string_view text;  ///< points into the source
  int line;               ///< of its first character, from 1

  bool is(std::string_view expected) const {
    return text == expected && (kind == TokenKind::identifier || kind == TokenKind::punctuation);
  }
  bool is_code() const { return kind != TokenKind::comment && kind != TokenKind::directive; }
  int last_line() const;
};

/// The tokens of `source`, which must outlive them. Unterminated literals and comments end with the source.
std::vector<CppToken> cpp_tokens(std::string_view source);

}  // namespace glassformer
