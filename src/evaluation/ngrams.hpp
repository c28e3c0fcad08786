#pragma once

#include <span>
#include <string>
#include <string_view>

#include "numerics/matrix.hpp"

namespace glassformer {

/// A sentence as a row of symbols: words by their number for BLEU, code points for chrF.
using Symbols = std::u32string;

/// The n-grams (runs of n symbols) of a hypothesis and its reference, for one n.
struct NgramCounts {
  Index hypothesis = 0;  ///< n-grams of the hypothesis
  Index reference = 0;   ///< n-grams of the reference
  /// n-grams of the hypothesis that the reference has as well. One that stands in the reference twice can be
  /// found twice and not oftener: the sum, over all different n-grams, of the lesser of its two counts.
  Index matches = 0;
};

/// Counts the n-grams of one pair of sentences: counts[0] is for n = 1, counts[1] for n = 2, and so on.
void count_ngrams(std::u32string_view hypothesis, std::u32string_view reference, std::span<NgramCounts> counts);

}  // namespace glassformer
