#include "evaluation/unicode_text.hpp"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "files/utf8.hpp"

namespace glassformer {
namespace {

/// Reads the code point at `position` and moves on to the next.
char32_t next_code_point(std::string_view text, std::size_t& position) {
  constexpr char32_t kReplacement = 0xFFFD;
  const std::int32_t character = next_character(text, position);
  return character < 0 ? kReplacement : static_cast<char32_t>(character);
}

/// Unicode's property White_Space, and the four ASCII separators (file, group, record, unit) which Python adds.
bool is_white_space(char32_t code_point) {
  return (code_point >= 0x1C && code_point <= 0x1F) || u_isUWhiteSpace(static_cast<UChar32>(code_point));
}

}  // namespace

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t word_begin = 0;
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t here = position;
    if (!is_white_space(next_code_point(text, position))) continue;
    if (here > word_begin) words.push_back(text.substr(word_begin, here - word_begin));
    word_begin = position;
  }
  if (text.size() > word_begin) words.push_back(text.substr(word_begin));
  return words;
}

std::string_view strip_right(std::string_view text) {
  std::size_t end = 0;  // of the last code point that is no white space
  for (std::size_t position = 0; position < text.size();) {
    if (!is_white_space(next_code_point(text, position))) end = position;
  }
  return text.substr(0, end);
}

std::string lower_case(std::string_view text) {
  std::string lowered;
  icu::StringByteSink<std::string> sink(&lowered);
  UErrorCode status = U_ZERO_ERROR;
  const char* const no_language = "";
  const icu::StringPiece piece(text.data(), static_cast<std::int32_t>(text.size()));
  icu::CaseMap::utf8ToLower(no_language, 0, piece, sink, nullptr, status);
  assert(U_SUCCESS(status));
  return lowered;
}

std::u32string code_points(std::string_view text) {
  std::u32string result;
  result.reserve(text.size());
  for (std::size_t position = 0; position < text.size();) result.push_back(next_code_point(text, position));
  return result;
}

}  // namespace glassformer
