#include "glassformer/files/utf8.hpp"

#include <spdlog/fmt/fmt.h>
#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

namespace glassformer {
namespace {

/// The text in the form of a normalizer, or as it is if ICU lacks the data for it.
std::string normalized(std::string_view text, const icu::Normalizer2* (*normalizer)(UErrorCode&)) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* const form = normalizer(error);
  if (U_FAILURE(error)) {
    return std::string(text);
  }
  std::string result;
  form->normalize(icu::UnicodeString::fromUTF8(text), error).toUTF8String(result);
  return U_FAILURE(error) ? std::string(text) : result;
}

}  // namespace

std::int32_t next_character(std::string_view text, std::size_t& position) {
  const auto size = static_cast<std::ptrdiff_t>(text.size());
  auto index = static_cast<std::ptrdiff_t>(position);
  std::int32_t character = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"  // inside ICU's macro
  U8_NEXT(text.data(), index, size, character);
#pragma GCC diagnostic pop
  position = static_cast<std::size_t>(index);
  return character;
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count) {
    next_character(text, end);
  }
  return text.substr(0, end);
}

std::optional<std::string> utf8_error(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    if (next_character(text, i) > 0) {
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[start]);
    const std::string what = byte == 0 ? "a NUL byte" : fmt::format("the byte 0x{:X}", byte);
    return what + " at byte " + std::to_string(start + 1);
  }
  return std::nullopt;
}

std::string replace_invalid(std::string_view text) {
  std::string valid;
  icu::UnicodeString::fromUTF8(text).findAndReplace(UChar32{0}, UChar32{0xFFFD}).toUTF8String(valid);
  return valid;
}

std::string lower_case(std::string_view text) {
  std::string lowered;
  icu::UnicodeString::fromUTF8(text).toLower(icu::Locale::getRoot()).toUTF8String(lowered);
  return lowered;
}

std::string composed(std::string_view text) { return normalized(text, icu::Normalizer2::getNFCInstance); }
std::string decomposed(std::string_view text) { return normalized(text, icu::Normalizer2::getNFDInstance); }

std::string visible(std::string_view text, bool keep_lists) {
  std::string result;
  for (std::size_t end = 0; end < text.size();) {
    const std::size_t begin = end;
    const std::int32_t c = next_character(text, end);
    const bool is_control = u_charType(c) == U_CONTROL_CHAR && !(keep_lists && text.substr(begin).starts_with("\n  "));
    const std::string_view bytes = text.substr(begin, end - begin);
    if (c < 0) {
      for (const char byte : bytes) {
        result += fmt::format("\\x{:02X}", static_cast<unsigned char>(byte));
      }
    } else if (is_control || u_hasBinaryProperty(c, UCHAR_BIDI_CONTROL)) {
      result += c < 256 ? fmt::format("\\x{:02X}", c) : fmt::format("\\u{:04X}", c);
    } else {
      result += bytes;
    }
  }
  return result;
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
