#include "glassformer/text/subword_marks.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "glassformer/words/words.hpp"

namespace glassformer {

void SubwordMarks::add(std::string_view line) {
  for (const std::string_view word : split_words(line)) {
    ++words;
    at_signs += word.size() > 2 && word.ends_with("@@") ? 1 : 0;
    bars += word.starts_with("\u2581") ? 1 : 0;
  }
}

bool SubwordMarks::are_many() const {
  const Index marked = std::max(at_signs, bars);
  return marked > 0 && 100 * marked >= words;
}

std::string SubwordMarks::text() const {
  return fmt::format("{} of {} words have a subword marker ({})", std::max(at_signs, bars), words,
                     are_bars() ? "U+2581, as SentencePiece writes it" : "@@, as subword-nmt writes it");
}

std::string SubwordMarks::command() const {
  return are_bars() ? "sed 's/ //g; s/\u2581/ /g; s/^ //'" : "sed -E 's/@@( |$)//g'";
}

}  // namespace glassformer
