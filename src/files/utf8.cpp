#include "files/utf8.hpp"

#include <unicode/utf8.h>

namespace glassformer {

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

}  // namespace glassformer
