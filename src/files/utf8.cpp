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

std::vector<std::string_view> split_at(std::string_view text, bool (*is_white_space)(std::int32_t)) {
  std::vector<std::string_view> words;
  std::size_t word_begin = 0;
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t here = position;
    if (!is_white_space(next_character(text, position))) continue;
    if (here > word_begin) words.push_back(text.substr(word_begin, here - word_begin));
    word_begin = position;
  }
  if (text.size() > word_begin) words.push_back(text.substr(word_begin));
  return words;
}

}  // namespace glassformer
