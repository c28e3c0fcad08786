#pragma once

#include <algorithm>
#include <compare>
#include <utility>

#include "glassformer/batching/sentence_pairs.hpp"

namespace glassformer {

/// The lengths of a pair in a batch. They include eos (source, target_output) or bos (target_input).
struct PairLengths {
  Index source = 0, target = 0;

  Index longer() const { return std::max(source, target); }
  PairLengths padded_with(PairLengths other) const {
    return {std::max(source, other.source), std::max(target, other.target)};
  }
  /// Orders pairs so that neighbours need little padding: by the longer side, which max_tokens limits, then by source
  /// minus target. The latter's direction alternates, so the last pairs of one length resemble the first of the next.
  auto operator<=>(const PairLengths& other) const {
    const auto key = [](const PairLengths& l) {
      const Index difference = l.source - l.target;
      return std::pair(l.longer(), l.longer() % 2 == 0 ? difference : -difference);
    };
    return key(*this) <=> key(other);
  }
};

/// The lengths of one pair.
inline PairLengths lengths_of(const SentencePairs& pairs, Index sentence) {
  return {static_cast<Index>(pairs.source(sentence).size()) + 1, static_cast<Index>(pairs.target(sentence).size()) + 1};
}

}  // namespace glassformer
