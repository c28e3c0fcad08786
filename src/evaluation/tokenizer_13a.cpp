#include "evaluation/tokenizer_13a.hpp"

#include <regex>
#include <utility>

// Every rule looks at ASCII characters alone. No byte of a longer UTF-8 sequence is one, so bytes will do.

namespace glassformer {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
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

  static const std::pair<std::regex, const char*> kRules[] = {
      {std::regex(R"([!-&(-+/:-@\[-`{-~])"), " $& "},  // punctuation, except the apostrophe (don't), and:
      {std::regex("([^0-9])([.,])"), "$1 $2 "},        // a point or comma that does not follow a digit
      {std::regex("([.,])([^0-9])"), " $1 $2"},        // or is not followed by one: 1,000.50 stays whole
      {std::regex("([0-9])-"), "$1 - "}};              // a dash after a digit: 1990-95
  for (const auto& [rule, by] : kRules) text = std::regex_replace(text, rule, by);
  return text;
}

}  // namespace glassformer
