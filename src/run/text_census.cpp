#include "run/text_census.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "files/suggestion.hpp"

namespace glassformer {

void SideCensus::add(const Tokenizer& tokenizer, std::string_view line, std::span<const Id> ids) {
  constexpr std::size_t kMostWords = 100'000;
  tokens += std::ssize(ids);
  with_at_signs += line.find("@@ ") != std::string_view::npos || line.ends_with("@@");
  with_word_marks += line.find("\u2581") != std::string_view::npos;
  with_carriage_returns += line.find('\r') != std::string_view::npos;
  const auto count = static_cast<Index>(std::ranges::count(ids, tokenizer.special().unk));
  if (count == 0) return;
  unknown += count;
  for (std::string& word : tokenizer.unknown(line))
    if (words.size() < kMostWords || words.contains(word)) ++words[std::move(word)];
}

std::string SideCensus::examples() const {
  constexpr std::size_t kShown = 5, kLongest = 40;  // words; bytes of a word
  std::vector<std::pair<Index, std::string_view>> most;
  for (const auto& [word, count] : words) most.emplace_back(-count, word);
  const std::size_t shown = std::min(kShown, most.size());
  std::ranges::partial_sort(most, most.begin() + static_cast<std::ptrdiff_t>(shown));
  std::string list;
  for (const auto& [count, word] : std::span(most).first(shown))
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", brief(std::string(word), kLongest), -count);
  return list;
}

void TextCensus::add(const TokenizerPair& tokenizers, std::string_view source_line, std::span<const Id> source_ids,
                     std::string_view target_line, std::span<const Id> target_ids) {
  ++pairs;
  equal += source_line == target_line;
  source.add(*tokenizers.source, source_line, source_ids);
  target.add(*tokenizers.target, target_line, target_ids);
}

}  // namespace glassformer
