#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// White space and lower case are Python's, because sacreBLEU is written in Python. Invalid UTF-8 is no error here,
/// except for utf8_fault.
namespace glassformer {

/// Reads the code point at byte `position`, which moves on to the next one. Negative if the bytes are not UTF-8: then
/// `position` moves past them. \pre position < text.size()
std::int32_t next_character(std::string_view text, std::size_t& position);

/// The first NUL byte or byte that is not UTF-8: "the byte 0xE4 at byte 3". Nothing if the text is valid.
std::optional<std::string> utf8_fault(std::string_view text);

/// The words of a text, as `str.split()`: Unicode's white space separates them. The views point into `text`.
std::vector<std::string_view> split_words(std::string_view text);

/// Lower case as `str.lower()`: by the rules of Unicode, whatever the locale.
std::string lower_case(std::string_view text);

/// The first `count` code points of a text, or all.
std::string_view first_characters(std::string_view text, std::size_t count);

/// The code points of a text. A broken sequence counts as U+FFFD, the replacement character.
std::u32string code_points(std::string_view text);

}  // namespace glassformer
