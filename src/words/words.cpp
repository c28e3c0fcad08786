#include "glassformer/words/words.hpp"

#include <algorithm>
#include <array>

#include "glassformer/words/word_vocabulary.hpp"

namespace glassformer {
namespace {

/// Unicode's White_Space, and the four ASCII separators (file, group, record, unit) that Python adds.
constexpr std::array<std::string_view, 29> kWhiteSpace = {
    "\t",     "\n",     "\v",     "\f",     "\r",     "\x1C",   "\x1D",   "\x1E",   "\x1F",   " ",
    "\u0085", "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
    "\u2007", "\u2008", "\u2009", "\u200A", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"};

/// How many bytes of white space the text begins with: those of one character, or 0.
std::size_t white_space_at_start(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first > ' ' && first < 0x80) {
    return 0;  // nearly all letters
  }
  const auto found = std::ranges::find_if(kWhiteSpace, [&](std::string_view space) { return text.starts_with(space); });
  return found != kWhiteSpace.end() ? found->size() : 0;
}

}  // namespace

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t word_begin = 0;
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t space = white_space_at_start(text.substr(position));
    if (space == 0) {
      ++position;
      continue;
    }
    if (position > word_begin) {
      words.push_back(text.substr(word_begin, position - word_begin));
    }
    position += space;
    word_begin = position;
  }
  if (text.size() > word_begin) {
    words.push_back(text.substr(word_begin));
  }
  return words;
}

void count_words(std::string_view text, WordCounts& counts) {
  for (const std::string_view word : split_words(text)) {
    if (!is_special_word(word)) {
      ++counts[std::string(word)];
    }
  }
}

std::vector<WordCount> frequent_words(const WordCounts& counts, Index min_frequency) {
  std::vector<WordCount> words(counts.begin(), counts.end());
  std::erase_if(words, [&](const WordCount& word) { return word.second < min_frequency; });
  std::ranges::sort(words, {}, [](auto& word) { return std::pair(-word.second, std::string_view(word.first)); });
  return words;
}

}  // namespace glassformer
