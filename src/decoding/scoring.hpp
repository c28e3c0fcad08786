#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "decoding/search.hpp"

namespace glassformer {

/// The longest translation allowed of a source (ids, eos included), in tokens without eos.
inline Index longest_translation(const DecodingSettings& settings, std::span<const Id> source) {
  const double tokens = static_cast<double>(source.size()) - 1;
  return static_cast<Index>(settings.max_length_ratio * tokens) + 10;
}

/// log p / length^length_penalty. A sum of logarithms falls with every token; the division keeps it from preferring
/// short translations for being short.
inline double length_normalised(double log_probability, Index length, double length_penalty) {
  return log_probability / std::pow(static_cast<double>(length), length_penalty);
}

/// Fills in the score of a hypothesis that will not grow any more.
inline void score(Hypothesis& hypothesis, double length_penalty) {
  const Index length = static_cast<Index>(hypothesis.ids.size()) + (hypothesis.finished ? 1 : 0);
  hypothesis.score = length_normalised(hypothesis.log_probability, std::max<Index>(length, 1), length_penalty);
}

}  // namespace glassformer
