#include "evaluation/unknown_tokens.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "files/suggestion.hpp"
#include "files/utf8.hpp"

namespace glassformer {
namespace {

Index count_unknown(const Tokenizer& tokenizer, std::span<const Id> ids) {
  return std::ranges::count(ids, tokenizer.special().unk);
}

/// The unknown part of a word: the whole word if it is a single unk, else its first character that is unknown.
std::string unknown_part(const Tokenizer& tokenizer, std::string_view word, std::span<const Id> ids) {
  if (ids.size() == 1) return std::string(word);
  for (std::size_t begin = 0, end = 0; begin < word.size(); begin = end) {
    next_character(word, end);
    const std::string_view character = word.substr(begin, end - begin);
    if (count_unknown(tokenizer, tokenizer.encode(character)) > 0) return std::string(character);
  }
  return std::string(word);
}

}  // namespace

void UnknownTokens::add(const Tokenizer& tokenizer, std::string_view line, std::span<const Id> ids) {
  const Index found = count_unknown(tokenizer, ids);
  tokens += std::ssize(ids);
  unknown += found;
  if (found == 0) return;
  for (const std::string_view word : split_words(line)) {
    if (word.starts_with(">>")) continue;  // a language code, which only the start of a line may have
    const std::vector<Id> ids_of_word = tokenizer.encode(word);
    if (count_unknown(tokenizer, ids_of_word) == 0) continue;
    ++words;
    const std::string lower = lower_case(word);
    if (lower != word && count_unknown(tokenizer, tokenizer.encode(lower)) == 0) ++known_in_lower_case;
    if (examples.size() == kExamples) continue;
    const std::string part = unknown_part(tokenizer, word, ids_of_word);
    if (std::ranges::find(examples, part) == examples.end()) examples.push_back(part);
  }
}

std::string UnknownTokens::text(const std::string& what) const {
  std::string list;
  for (const std::string& example : examples) list += (list.empty() ? ", such as \"" : "\", \"") + brief(example, 40);
  return fmt::format("{} of {} {} ({:.2f}%){}", unknown, tokens, what, 100 * share(),
                     list + (list.empty() ? "" : "\""));
}

std::string UnknownTokens::advice() const {
  if (2 * known_in_lower_case > words)
    return "most of these words are known in lower case, so lowercase the text, like the training text";
  return "prepare the text like the training text (case, punctuation, splitting into words)";
}

std::string UnknownTokens::remark(const std::string& what, const std::string& effect) const {
  const std::string found = "the model does not know " + text(what);
  return are_many() ? fmt::format("{}, so {}; {}", found, effect, advice()) : found;
}

void LanguageCodes::add(std::string_view line) {
  if (split_words(line).empty()) return;
  ++sentences;
  if (!line.starts_with(">>")) ++without_code;
}

std::string LanguageCodes::advice(const Tokenizer& source) const {
  const auto codes = source.language_codes();
  if (codes.empty() || without_code == 0) return "";
  return fmt::format(
      "this model has language codes ({}), but {} of {} sentences begin with none; write the code of the target "
      "language before each sentence, for example \"{} ...\"",
      listed({codes.begin(), codes.end()}), without_code, sentences, codes[0]);
}

}  // namespace glassformer
