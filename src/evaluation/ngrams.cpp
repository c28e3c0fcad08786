#include "evaluation/ngrams.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace glassformer {
namespace {

using Ngrams = std::vector<std::u32string_view>;

/// What begins at each place of the sentence, at most `longest` symbols of it, in dictionary order.
Ngrams sorted_beginnings(std::u32string_view sentence, std::size_t longest) {
  Ngrams beginnings;
  beginnings.reserve(sentence.size());
  for (std::size_t i = 0; i < sentence.size(); ++i) beginnings.push_back(sentence.substr(i, longest));
  std::sort(beginnings.begin(), beginnings.end());
  return beginnings;
}

/// The n-grams of a sentence, sorted: what is in dictionary order stays so when all is cut to n symbols.
Ngrams sorted_ngrams(const Ngrams& beginnings, std::size_t n) {
  Ngrams ngrams;
  ngrams.reserve(beginnings.size());
  for (const std::u32string_view beginning : beginnings) {
    if (beginning.size() >= n) ngrams.push_back(beginning.substr(0, n));
  }
  return ngrams;
}

}  // namespace

void count_ngrams(std::u32string_view hypothesis, std::u32string_view reference,
                  std::span<NgramCounts> counts) {
  const Ngrams hypothesis_beginnings = sorted_beginnings(hypothesis, counts.size());  // sorted once for all n
  const Ngrams reference_beginnings = sorted_beginnings(reference, counts.size());
  for (std::size_t n = 1; n <= counts.size(); ++n) {
    const Ngrams of_hypothesis = sorted_ngrams(hypothesis_beginnings, n);
    const Ngrams of_reference = sorted_ngrams(reference_beginnings, n);
    // What stands a times in one sorted range and b times in the other is min(a, b) times in the intersection.
    Ngrams common;
    common.reserve(of_hypothesis.size());
    std::set_intersection(of_hypothesis.begin(), of_hypothesis.end(), of_reference.begin(), of_reference.end(),
                          std::back_inserter(common));
    counts[n - 1] = {.hypothesis = std::ssize(of_hypothesis),
                     .reference = std::ssize(of_reference),
                     .matches = std::ssize(common)};
  }
}

}  // namespace glassformer
