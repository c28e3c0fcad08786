#include "glassformer/batching/plan.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <random>
#include <utility>

#include "glassformer/batching/batch.hpp"
#include "glassformer/batching/lengths.hpp"

namespace glassformer {
namespace {

/// Keeps equally long pairs in order. (A planned batch is already sorted, and std::stable_sort would allocate memory.)
void sort_longest_first(const SentencePairs& pairs, std::vector<Index>& sentences) {
  const auto before = [&](Index a, Index b) { return lengths_of(pairs, a) > lengths_of(pairs, b); };
  if (!std::ranges::is_sorted(sentences, before)) {
    std::ranges::stable_sort(sentences, before);
  }
}

/// The cost of a group of sentences: the padded tokens of its larger side, or of both sides.
Index larger_side(Index sentences, PairLengths longest) { return sentences * longest.longer(); }
Index both_sides(Index sentences, PairLengths longest) { return sentences * (longest.source + longest.target); }

/// Cuts the sentences into consecutive groups, each as large as possible with a cost of at most `limit`. A sentence
/// that costs more gets a group of its own. Writes the end of each group to `ends`.
void cut(const SentencePairs& pairs, std::span<const Index> sentences, Index limit, Index (*cost)(Index, PairLengths),
         std::vector<Index>& ends) {
  ends.clear();
  PairLengths longest;
  Index begin = 0;
  for (Index i = 0; i < std::ssize(sentences); ++i) {
    const PairLengths current = lengths_of(pairs, sentences[static_cast<std::size_t>(i)]);
    longest = longest.padded_with(current);
    if (i > begin && cost(i + 1 - begin, longest) > limit) {
      ends.push_back(i);
      begin = i;
      longest = current;
    }
  }
  if (!sentences.empty()) {
    ends.push_back(std::ssize(sentences));
  }
}

std::vector<std::vector<Index>> cut_into_batches(const SentencePairs& pairs, const std::vector<Index>& sentences,
                                                 Index max_tokens) {
  std::vector<Index> ends;
  cut(pairs, sentences, max_tokens, larger_side, ends);
  std::vector<std::vector<Index>> batches;
  auto begin = sentences.begin();
  for (const Index end : ends) {
    batches.emplace_back(begin, sentences.begin() + end);
    begin = sentences.begin() + end;
  }
  return batches;
}

/// A random number from 0 to bound - 1, all equally likely. Rejects the largest numbers of the generator, because they
/// would favour small remainders.
std::size_t random_below(std::uint64_t bound, std::mt19937_64& generator) {
  const std::uint64_t usable = std::mt19937_64::max() - std::mt19937_64::max() % bound;
  std::uint64_t number = generator();
  while (number >= usable) {
    number = generator();
  }
  return static_cast<std::size_t>(number % bound);
}

/// Fisher-Yates: each position, starting with the last, gets a random one of the items not yet placed. (The standard
/// fixes the numbers of std::mt19937_64 and std::seed_seq, but not those of std::shuffle and
/// std::uniform_int_distribution. This gives the same order on every platform.)
template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& generator) {
  for (std::size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[random_below(left, generator)]);
  }
}

}  // namespace

std::vector<Index> all_sentences(const SentencePairs& pairs) {
  std::vector<Index> sentences(static_cast<std::size_t>(pairs.size()));
  std::iota(sentences.begin(), sentences.end(), Index{0});
  return sentences;
}

std::vector<std::vector<Index>> plan_epoch(const SentencePairs& pairs, Index max_tokens, std::uint64_t seed,
                                           Index epoch) {
  std::seed_seq words{seed & 0xFFFFFFFF, seed >> 32, static_cast<std::uint64_t>(epoch) & 0xFFFFFFFF,
                      static_cast<std::uint64_t>(epoch) >> 32};
  std::mt19937_64 generator(words);
  std::vector<Index> sentences = all_sentences(pairs);
  shuffle(sentences, generator);  // the stable sort keeps this order for pairs of equal lengths
  sort_longest_first(pairs, sentences);
  std::vector<std::vector<Index>> batches = cut_into_batches(pairs, sentences, max_tokens);
  shuffle(batches, generator);
  return batches;
}

std::vector<std::vector<Index>> plan_in_order(const SentencePairs& pairs, Index max_tokens) {
  std::vector<Index> sentences = all_sentences(pairs);
  sort_longest_first(pairs, sentences);
  return cut_into_batches(pairs, sentences, max_tokens);
}

SentenceGroups cut_into_parts(const SentencePairs& pairs, std::span<const Index> sentences, Index parts,
                              SentenceGroups reused) {
  assert(parts > 0);
  SentenceGroups groups = std::move(reused);
  groups.sentences.assign(sentences.begin(), sentences.end());
  sort_longest_first(pairs, groups.sentences);
  const auto fits = [&](Index limit) {
    cut(pairs, groups.sentences, limit, both_sides, groups.ends);
    return groups.size() <= parts;
  };
  // Shards run in parallel, so the slowest sets the time. Bisect for the lowest limit that needs at most `parts` parts.
  Index too_low = 0;
  Index enough = count_tokens(pairs, sentences).cells;
  while (enough - too_low > 1) {
    const Index middle = too_low + (enough - too_low) / 2;
    if (fits(middle)) {
      enough = middle;
    } else {
      too_low = middle;
    }
  }
  fits(enough);
  return groups;
}

}  // namespace glassformer
