#include "glassformer/evaluation/bleu_tokenizers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <regex>
#include <utility>
#include <vector>

#include "glassformer/files/utf8.hpp"
#include "glassformer/words/words.hpp"

namespace glassformer {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view replacement) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + replacement.size())) {
    text.replace(at, what.size(), replacement);
  }
}

/// What sacreBLEU's zh treats as a Chinese character. Its table has two ranges that are meant to be beyond U+FFFF, but
/// that Python reads as U+2001 to U+2A6D (quotation marks, dashes, arrows) and as U+2F81 to U+2FA1.
bool is_chinese(std::int32_t c) {
  constexpr std::array<std::pair<std::int32_t, std::int32_t>, 17> kRanges = {{
      {0x2001, 0x2A6D},
      {0x2E80, 0x2EFF},
      {0x2F00, 0x2FDF},
      {0x2FF0, 0x2FFF},
      {0x3000, 0x303F},
      {0x3100, 0x312F},
      {0x31A0, 0x31BF},
      {0x31C0, 0x31EF},
      {0x3200, 0x33FF},
      {0x3400, 0x4DB5},
      {0x4E00, 0x9FBB},
      {0xF900, 0xFA2D},
      {0xFA30, 0xFA6A},
      {0xFA70, 0xFAD9},
      {0xFE10, 0xFE1F},
      {0xFE30, 0xFE4F},
      {0xFF00, 0xFFEF},
  }};
  return std::ranges::any_of(kRanges, [&](const auto& range) { return c >= range.first && c <= range.second; });
}

/// Sets ASCII punctuation apart. Every rule matches only ASCII characters. In UTF-8, other characters have no ASCII
/// bytes, so we can match bytes.
std::string separate_punctuation(std::string text) {
  // ASCII punctuation, except the apostrophe (don't). The other rules handle comma, dash and full stop.
  static const std::regex punctuation("[!-&(-+/:-@[-`{-~]");
  static const std::regex point_after_other("([^0-9])([.,])");
  static const std::regex point_before_other("([.,])([^0-9])");
  static const std::regex dash_after_digit("([0-9])-");
  text = std::regex_replace(text, punctuation, " $& ");
  text = std::regex_replace(text, point_after_other, "$1 $2 ");   // no digit before
  text = std::regex_replace(text, point_before_other, " $1 $2");  // no digit after: 1,000.50 stays whole
  return std::regex_replace(text, dash_after_digit, "$1 - ");     // 1990-95
}

}  // namespace

std::string tokenize_13a(std::string_view line) {
  std::string text = ' ' + std::string(line) + ' ';
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");  // a word that was hyphenated at the end of a line
  replace_all(text, "\n", " ");
  // &amp; is not replaced last, so &amp;lt; becomes <, as in mteval-v13a.
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  return separate_punctuation(std::move(text));
}

std::string tokenize_zh(std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  if (words.empty()) {
    return "";
  }
  std::string text;  // 13a's rules need a character beside a full stop or comma, so white space at the ends matters
  const std::string_view stripped(words.front().data(),
                                  static_cast<std::size_t>(words.back().end() - words.front().begin()));
  for (std::size_t begin = 0, end = 0; begin < stripped.size(); begin = end) {
    const bool chinese = is_chinese(next_character(stripped, end));
    text += chinese ? " " : "";
    text += stripped.substr(begin, end - begin);
    text += chinese ? " " : "";
  }
  return separate_punctuation(std::move(text));
}

std::string spaced_characters(std::string_view text) {
  std::string spaced;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    next_character(text, end);
    spaced.append(text.substr(begin, end - begin)) += ' ';
  }
  return spaced;
}

}  // namespace glassformer
