#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace glassformer {

/// Reads the character (code point) that begins at byte `position`, which moves on to the next one. Negative where the
/// bytes are no UTF-8; then `position` moves on behind what is broken. \pre position < text.size()
std::int32_t next_character(std::string_view text, std::size_t& position);

}  // namespace glassformer
