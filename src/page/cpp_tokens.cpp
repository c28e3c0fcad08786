#include "glassformer/page/cpp_tokens.hpp"

#include <algorithm>
#include <string>

namespace glassformer {
namespace {

// Independent of the locale, unlike <cctype>. Bytes beyond ASCII belong to identifiers.
bool is_space(char c) { return c == ' ' || ('\t' <= c && c <= '\r'); }
bool is_digit(char c) { return '0' <= c && c <= '9'; }
bool in_identifier(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || is_digit(c) || c == '_' || static_cast<signed char>(c) < 0;
}

std::size_t past_identifier(std::string_view text, std::size_t at) {
  while (at < text.size() && in_identifier(text[at])) {
    ++at;
  }
  return at;
}

/// Past 1'000, 0x1p-3, 1e+5 and the like: letters, digits, points, separators, and signs after an exponent's letter.
std::size_t past_number(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    const char before = text[at - 1];
    const bool is_sign =
        (text[at] == '+' || text[at] == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
    const bool is_separator = text[at] == '\'' && at + 1 < text.size() && in_identifier(text[at + 1]);
    if (!in_identifier(text[at]) && text[at] != '.' && !is_sign && !is_separator) {
      break;
    }
  }
  return at;
}

/// Past the quote that closes the one at `at`.
std::size_t past_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at) {
    at += text[at] == '\\' ? 1 : 0;
  }
  return at + 1;
}

/// Past the end of R"delimiter( ... )delimiter", whose first quote is at `at`.
std::size_t past_raw_string(std::string_view text, std::size_t at) {
  const std::size_t open = text.find('(', at);
  if (open == std::string_view::npos) {
    return text.size();
  }
  const std::string end = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
  const std::size_t close = text.find(end, open);
  return close == std::string_view::npos ? text.size() : close + end.size();
}

/// The position of the end of the line. A backslash before it continues the line.
std::size_t end_of_line(std::string_view text, std::size_t at) {
  std::size_t end = text.find('\n', at);
  while (end != std::string_view::npos && text[end - 1] == '\\') {
    end = text.find('\n', end + 1);
  }
  return end;
}

struct TokenEnd {
  TokenKind kind;
  std::size_t end;  // may be beyond the end of the text
};

TokenEnd comment_at(std::string_view text, std::size_t at) {
  if (text[at + 1] == '/') {
    return {TokenKind::comment, end_of_line(text, at)};
  }
  const std::size_t close = text.find("*/", at + 2);
  return {TokenKind::comment, close == std::string_view::npos ? close : close + 2};
}

TokenEnd word_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kRawPrefixes[] = {"R", "u8R", "uR", "UR", "LR"};
  const std::size_t end = past_identifier(text, at);
  const std::string_view word = text.substr(at, end - at);
  if (end < text.size() && text[end] == '"' && std::ranges::find(kRawPrefixes, word) != std::end(kRawPrefixes)) {
    return {TokenKind::string, past_raw_string(text, end)};
  }
  return {TokenKind::identifier, end};
}

TokenEnd token_at(std::string_view text, std::size_t at) {
  const char c = text[at];
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  if (c == '/' && (next == '/' || next == '*')) {
    return comment_at(text, at);
  }
  if (c == '#') {
    return {TokenKind::directive, end_of_line(text, at)};
  }
  if (c == '"') {
    return {TokenKind::string, past_quoted(text, at)};
  }
  if (c == '\'') {
    return {TokenKind::character, past_quoted(text, at)};
  }
  if (is_digit(c) || (c == '.' && is_digit(next))) {
    return {TokenKind::number, past_number(text, at)};
  }
  if (in_identifier(c)) {
    return word_at(text, at);
  }
  return {TokenKind::punctuation, at + (c == ':' && next == ':' ? 2 : 1)};
}

int lines_in(std::string_view text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

}  // namespace

int CppToken::last_line() const { return line + lines_in(text); }

std::vector<CppToken> cpp_tokens(std::string_view source) {
  std::vector<CppToken> tokens;
  int line = 1;
  for (std::size_t at = 0; at < source.size();) {
    if (is_space(source[at])) {
      line += source[at++] == '\n' ? 1 : 0;
      continue;
    }
    const auto [kind, past] = token_at(source, at);
    const std::size_t end = std::min(past, source.size());
    tokens.push_back({kind, source.substr(at, end - at), line});
    line = tokens.back().last_line();
    at = end;
  }
  return tokens;
}

}  // namespace glassformer
