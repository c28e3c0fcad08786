#include "glassformer/run/round_trip.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <string_view>

#include "glassformer/files/suggestion.hpp"
#include "glassformer/words/words.hpp"

namespace glassformer {
namespace {

using Words = std::vector<std::string_view>;

/// Where two texts first differ: "X" becomes "Y Z". \pre they differ
std::string first_difference(const Words& before, const Words& after) {
  const auto size_before = std::ssize(before);
  const auto size_after = std::ssize(after);
  Index begin = std::ranges::mismatch(before, after).in1 - before.begin();
  // The fewest words, removed and added together, after which both texts continue with the same word, or both end.
  Index removed = 0;
  Index added = 0;
  const auto is_same_again = [&](Index i, Index j) {
    return i <= size_before && j <= size_after &&
           (i == size_before || j == size_after
                ? i == size_before && j == size_after
                : before[static_cast<std::size_t>(i)] == after[static_cast<std::size_t>(j)]);
  };
  for (Index words = 1; !is_same_again(begin + removed, begin + added); ++words) {
    removed = words;
    while (removed > 0 && !is_same_again(begin + removed, begin + words - removed)) {
      --removed;
    }
    added = words - removed;
  }
  if ((removed == 0 || added == 0) && begin > 0) {
    --begin;
    ++removed;
    ++added;  // show the word before the gap, too
  }
  const auto text = [&](const Words& words, Index count) {
    return brief(fmt::format("{}", fmt::join(words.begin() + begin, words.begin() + begin + count, " ")));
  };
  return fmt::format("\"{}\" becomes \"{}\"", text(before, removed), text(after, added));
}

}  // namespace

RoundTrip round_trip(const std::vector<std::string>& sentences, const Tokenizer& tokenizer) {
  RoundTrip result;
  for (const std::string& sentence : sentences) {
    const std::vector<Id> ids = tokenizer.encode(sentence);
    const std::string decoded = tokenizer.decode(ids);
    const auto before = split_words(sentence);
    const auto after = split_words(decoded);
    if (before == after) {
      continue;
    }
    ++result.changed;
    result.with_unknown += std::ranges::count(ids, tokenizer.special().unk) > 0 ? 1 : 0;
    if (result.example.empty()) {
      result.example = first_difference(before, after);
    }
  }
  return result;
}

}  // namespace glassformer
