#include "glassformer/text/language_codes.hpp"

#include <spdlog/fmt/fmt.h>

#include "glassformer/files/suggestion.hpp"
#include "glassformer/words/words.hpp"

namespace glassformer {

std::string_view language_code(std::string_view sentence) {
  const std::size_t end = sentence.find("<<");
  return sentence.starts_with(">>") && end != std::string_view::npos ? sentence.substr(0, end + 2) : "";
}

void LanguageCodes::add(std::string_view line) {
  if (split_words(line).empty()) {
    return;
  }
  ++sentences;
  if (language_code(line).empty()) {
    ++without_code;
  }
}

std::string LanguageCodes::advice(const Tokenizer& source) const {
  const auto codes = source.language_codes();
  if (codes.empty() || without_code == 0) {
    return "";
  }
  return fmt::format(
      "this model has language codes ({}), but {} of {} sentences begin without one; write the code of the target "
      "language before each sentence, for example \"{} ...\"",
      listed({codes.begin(), codes.end()}), without_code, sentences, codes[0]);
}

}  // namespace glassformer
