#include "evaluation/tokenizer_13a.hpp"

#include <cstddef>

// Every rule looks at ASCII characters alone. No byte of a longer UTF-8 sequence is one, so bytes will do.

namespace glassformer {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

constexpr auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
constexpr auto is_not_digit = [](char c) { return !is_digit(c); };
constexpr auto is_point = [](char c) { return c == '.' || c == ','; };
constexpr auto is_dash = [](char c) { return c == '-'; };

/// ASCII punctuation, except the apostrophe (don't), and comma, dash and point, which have rules of their own.
bool is_always_apart(char c) {
  return (c >= '!' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

std::string set_punctuation_apart(std::string_view text) {
  std::string result;
  result.reserve(2 * text.size());
  for (const char c : text) {
    if (is_always_apart(c)) {
      result += {' ', c, ' '};
    } else {
      result += c;
    }
  }
  return result;
}

/// Which character of a matching pair gets blanks on both sides.
enum class Apart { first, second };

/// Goes through the text from left to right and parts every pair of neighbours that matches. The next pair
/// begins behind both, as in a search with a regular expression: of two points in a row, the second is not the
/// first of another pair.
template <class First, class Second>
std::string part_pairs(std::string_view text, First is_first, Second is_second, Apart apart) {
  std::string result;
  result.reserve(2 * text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !is_first(text[i]) || !is_second(text[i + 1])) {
      result += text[i];
      continue;
    }
    if (apart == Apart::first) {
      result += {' ', text[i], ' ', text[i + 1]};
    } else {
      result += {text[i], ' ', text[i + 1], ' '};
    }
    ++i;
  }
  return result;
}

}  // namespace

std::string tokenize_13a(std::string_view line) {
  std::string text = ' ' + std::string(line) + ' ';
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");  // a word that was hyphenated at the end of a line
  replace_all(text, "\n", " ");
  // The ampersand is not the last: &amp;lt; becomes < in the end. So it is in mteval-v13a.
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");

  text = set_punctuation_apart(text);
  text = part_pairs(text, is_not_digit, is_point, Apart::second);  // a point or comma not behind a digit
  text = part_pairs(text, is_point, is_not_digit, Apart::first);   // or not before a digit: 1,000.50
  return part_pairs(text, is_digit, is_dash, Apart::second);       // a dash behind a digit: 1990-95
}

}  // namespace glassformer
