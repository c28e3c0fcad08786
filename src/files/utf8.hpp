#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace glassformer {

/// Reads the character (code point) that begins at byte `position`, which moves on to the next one. Negative where the
/// bytes are no UTF-8; then `position` moves on behind what is broken. \pre position < text.size()
std::int32_t next_character(std::string_view text, std::size_t& position);

/// The words of a text: what stands between runs of white space, which is_white_space(character) recognises. The views
/// point into `text`.
std::vector<std::string_view> split_at(std::string_view text, bool (*is_white_space)(std::int32_t character));

}  // namespace glassformer
