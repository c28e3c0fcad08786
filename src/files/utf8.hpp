#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Lower case is as in Python, because sacreBLEU is written in Python. Only utf8_error reports invalid UTF-8; the other
/// functions accept it.
namespace glassformer {

/// Reads the code point at byte `position`, and moves `position` to the next one. If the bytes are not UTF-8, returns a
/// negative number and moves `position` past them. \pre position < text.size()
std::int32_t next_character(std::string_view text, std::size_t& position);

/// The first NUL byte or byte that is not UTF-8: "the byte 0xE4 at byte 3". Nothing if the text is valid.
std::optional<std::string> utf8_error(std::string_view text);

/// The text with U+FFFD, the replacement character, in place of NUL bytes and of bytes that are not UTF-8.
std::string replace_invalid(std::string_view text);

/// Lower case as by `str.lower()`: follows Unicode's rules in any locale.
std::string lower_case(std::string_view text);

/// Unicode's normalization forms NFC (a letter and its accent are one code point) and NFD (two of them).
std::string composed(std::string_view text);
std::string decomposed(std::string_view text);

/// The first `count` code points of a text, or all if there are fewer.
std::string_view first_characters(std::string_view text, std::size_t count);

/// The text, safe for a terminal: control characters, characters that change the writing direction, and bytes that are
/// not UTF-8 become `\x1B`, `\u202E`, `\xFF`. With `keep_lists`, a line break before two spaces (a list item) stays.
std::string visible(std::string_view text, bool keep_lists = false);

/// The code points of a text. An invalid sequence becomes U+FFFD, the replacement character.
std::u32string code_points(std::string_view text);

}  // namespace glassformer
