#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What we need of Unicode. White space and lower case mean what they mean in Python, because sacreBLEU is written in
/// Python. Invalid UTF-8 is no error here, except for utf8_fault.
namespace glassformer {

/// Reads the character (code point) that begins at byte `position`, which moves on to the next one. Negative if the
/// bytes are not UTF-8; then `position` moves on behind what is broken. \pre position < text.size()
std::int32_t next_character(std::string_view text, std::size_t& position);

/// The first NUL byte or byte that is not UTF-8: "the byte 0xE4 at byte 3". Nothing if the text is valid.
std::optional<std::string> utf8_fault(std::string_view text);

/// The words of a text: what stands between runs of white space, as `str.split()`. The views point into `text`.
/// White space is more than the blank: a no-break space and an ideographic space separate words, too.
std::vector<std::string_view> split_words(std::string_view text);

/// Lower case as `str.lower()`: by the rules of Unicode for no language in particular, whatever the machine's locale.
/// I becomes i (in Turkish it would not), İ becomes i with a dot above (two code points), and a Greek capital sigma
/// becomes ς at the end of a word, σ elsewhere.
std::string lower_case(std::string_view text);

/// The code points of a text. A broken sequence counts as U+FFFD, the replacement character.
std::u32string code_points(std::string_view text);

}  // namespace glassformer
