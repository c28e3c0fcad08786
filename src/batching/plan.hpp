#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "glassformer/batching/sentence_pairs.hpp"

/// Which sentences form a batch, and which of them a shard.
namespace glassformer {

/// The numbers of all pairs: 0, 1, 2, ...
std::vector<Index> all_sentences(const SentencePairs& pairs);

/// Plans one epoch: the sentences of each batch. A batch holds sentences of similar length and at most `max_tokens`
/// padded tokens on its larger side (sentences x longest sentence, eos included). A longer sentence gets its own batch.
/// Sentences of equal length are shuffled, and so are the batches. The result depends only on the arguments and is the
/// same on every platform.
std::vector<std::vector<Index>> plan_epoch(const SentencePairs& pairs, Index max_tokens, std::uint64_t seed,
                                           Index epoch);

/// The same without shuffling, for validation and tests: longest sentences first.
std::vector<std::vector<Index>> plan_in_order(const SentencePairs& pairs, Index max_tokens);

/// Consecutive groups of sentences.
struct SentenceGroups {
  std::vector<Index> sentences;  ///< of all groups
  std::vector<Index> ends;       ///< where in `sentences` each group ends

  Index size() const { return std::ssize(ends); }
  std::span<const Index> operator[](Index group) const {
    const auto i = static_cast<std::size_t>(group);
    const Index begin = i == 0 ? 0 : ends[i - 1];
    return std::span(sentences).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(ends[i] - begin));
  }
};

/// Cuts a batch into at most `parts` non-empty groups of whole sentences, with about equally many padded tokens each.
/// A group holds sentences of similar length. The result depends only on the arguments. Reuses older groups' memory.
SentenceGroups cut_into_parts(const SentencePairs& pairs, std::span<const Index> sentences, Index parts,
                              SentenceGroups reused = {});

}  // namespace glassformer
