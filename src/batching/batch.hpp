#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "batching/sentence_pairs.hpp"

namespace glassformer {

/// Sentence pairs side by side, padded to the longest of them.
///
///   source         the   dog   sleeps  .      eos        what the encoder reads
///   target_input   bos   der   hund    schläft  .        what the decoder reads: the target shifted right
///   target_output  der   hund  schläft .      eos        what it is asked for at each of these places
struct Batch {
  IdMatrix source;               ///< [B, S]
  IdMatrix target_input;         ///< [B, T]
  IdMatrix target_output;        ///< [B, T]
  std::vector<Index> sentences;  ///< [B] which pair each row is

  Index size() const { return source.rows(); }
};

/// The pairs that `sentences` names, padded, in the order of `sentences`. Reuses the memory of an older batch.
Batch make_batch(const SentencePairs& pairs, std::span<const Index> sentences, Batch reused = {});

/// How many tokens of the padded batch are no padding, and how many cells it has, on both sides together.
/// target counts target_output (eos included), source counts eos.
struct TokenCount {
  Index source = 0, target = 0, cells = 0;
  TokenCount& operator+=(const TokenCount& other);
  double padding_share() const;  ///< 0..1
};
/// Of the batch that make_batch would make of these sentences.
TokenCount count_tokens(const SentencePairs& pairs, std::span<const Index> sentences);

/// One epoch: which sentences make up each batch. A batch holds sentences of similar length, at most `max_tokens`
/// padded tokens on its larger side (sentences x longest sentence, eos included; a longer sentence gets a batch of its
/// own). Sentences of equal length are shuffled, and so are the batches. The result depends on nothing but the
/// arguments, and is the same on every platform.
std::vector<std::vector<Index>> plan_epoch(const SentencePairs& pairs, Index max_tokens, std::uint64_t seed,
                                           Index epoch);

/// The same without shuffling, for validation and tests: longest sentences first.
std::vector<std::vector<Index>> plan_in_order(const SentencePairs& pairs, Index max_tokens);

/// Groups of sentences, one after the other.
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

/// Cuts a batch into at most `parts` groups of whole sentences of about equal cost, none empty, sentences of
/// similar length together. Depends on nothing but its arguments. Reuses the memory of older groups.
SentenceGroups cut_into_parts(const SentencePairs& pairs, std::span<const Index> sentences, Index parts,
                              SentenceGroups reused = {});

}  // namespace glassformer
