#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "glassformer/text/corpus.hpp"
#include "temporary_directory.hpp"

/// Small texts, corpora and files for these tests.
namespace glassformer::text_test {

namespace fs = std::filesystem;

using test::complaint;
using test::contains;
using test::TemporaryDirectory;

/// Draws a number from 0 to count - 1, the same on every platform.
inline Index draw(std::mt19937_64& generator, Index count) {
  return static_cast<Index>(generator() % static_cast<std::uint64_t>(count));
}

/// Sentences from a made-up world. Its people have names of three syllables, so that there are subwords to learn.
inline std::string sentences(int count, std::uint64_t seed = 1) {
  constexpr std::array syllables = {"ba", "do", "fi", "gu", "lin", "mar", "ne", "pol", "ris", "sta", "tu", "zwö"};
  constexpr std::array does = {"watches", "carries", "paints", "sucht", "findet", "forgets", "repairs"};
  constexpr std::array what = {"a red bicycle", "the 12 boats", "das Fenster", "ten apples", "einen Brief", "it"};
  std::mt19937_64 generator(seed);
  const auto pick = [&](const auto& from) {
    return std::string(from[static_cast<std::size_t>(draw(generator, static_cast<Index>(from.size())))]);
  };
  std::string text;
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 3; ++k) {
      text += pick(syllables);
    }
    text += ' ' + pick(does);
    text += ' ' + pick(what) + " .\n";
  }
  return text;
}

/// A corpus of sentences with these lengths. Each sentence has the ids 10, 11, 12, ...
inline Corpus corpus_of_lengths(const std::vector<std::pair<Index, Index>>& lengths) {
  Corpus corpus;
  std::vector<Id> ids(1000);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<Id>(10 + i);
  }
  const std::span<const Id> all(ids);
  for (const auto& [source, target] : lengths) {
    corpus.append(all.first(static_cast<std::size_t>(source)), all.first(static_cast<std::size_t>(target)),
                  corpus.size());
  }
  return corpus;
}

/// A corpus with sentence lengths as in captions or news: sums of random numbers (bell-shaped). Each target is about as
/// long as its source.
inline Corpus random_corpus(Index size, std::uint64_t seed, Index typical = 13) {
  std::mt19937_64 generator(seed);
  std::vector<std::pair<Index, Index>> lengths;
  for (Index i = 0; i < size; ++i) {
    Index source = 1;
    for (int k = 0; k < 4; ++k) {
      source += draw(generator, typical / 2 + 1);
    }
    const Index target = std::max<Index>(1, source - 3 + draw(generator, 4) + draw(generator, 4));
    lengths.emplace_back(source, target);
  }
  return corpus_of_lengths(lengths);
}

}  // namespace glassformer::text_test
