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

/// Unicode's property White_Space, and the four ASCII separators (file, group, record, unit) which Python adds.
bool is_white_space(std::int32_t character) {
  return (character >= 0x1C && character <= 0x1F) || u_isUWhiteSpace(character);
}

}  // namespace

std::vector<std::string_view> split_words(std::string_view text) { return split_at(text, is_white_space); }

std::string_view strip_right(std::string_view text) {
  std::size_t end = 0;  // of the last code point that is no white space
  for (std::size_t position = 0; position < text.size();) {
    if (!is_white_space(next_character(text, position))) end = position;
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
  for (std::size_t position = 0; position < text.size();) {
    const std::int32_t character = next_character(text, position);
    result.push_back(character < 0 ? U'\uFFFD' : static_cast<char32_t>(character));
  }
  return result;
}

}  // namespace glassformer
