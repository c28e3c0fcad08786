#include "evaluation/ngrams.hpp"

#include <unordered_map>

namespace glassformer {

void count_ngrams(std::u32string_view hypothesis, std::u32string_view reference, std::span<NgramCounts> counts) {
  for (std::size_t n = 1; n <= counts.size(); ++n) {
    NgramCounts count;
    std::unordered_map<std::u32string_view, Index> unmatched;  // n-grams of the reference
    for (std::size_t i = 0; i + n <= reference.size(); ++i, ++count.reference) ++unmatched[reference.substr(i, n)];
    for (std::size_t i = 0; i + n <= hypothesis.size(); ++i, ++count.hypothesis) {
      const auto found = unmatched.find(hypothesis.substr(i, n));
      if (found == unmatched.end() || found->second == 0) continue;
      --found->second;
      ++count.matches;
    }
    counts[n - 1] = count;
  }
}

}  // namespace glassformer
