#pragma once

#include <span>
#include <vector>

#include "glassformer/batching/sentence_pairs.hpp"

namespace glassformer {

/// Sentence pairs, one per row, padded to the longest.
///
///   source         the   dog   sleeps  .      eos        what the encoder reads
///   target_input   bos   der   hund    schläft  .        what the decoder reads: the target shifted right
///   target_output  der   hund  schläft .      eos        what it must predict at each position
struct Batch {
  IdMatrix source;               ///< [B, S]
  IdMatrix target_input;         ///< [B, T]
  IdMatrix target_output;        ///< [B, T]
  std::vector<Index> sentences;  ///< [B] the pair in each row

  Index size() const { return source.rows(); }
};

/// Makes a padded batch of the pairs in `sentences`, in that order. Reuses the memory of an older batch.
Batch make_batch(const SentencePairs& pairs, std::span<const Index> sentences, Batch reused = {});

/// The size of a padded batch: tokens of source and target_output, including eos but not padding, and cells of both
/// sides together, including padding.
struct TokenCount {
  Index source = 0, target = 0, cells = 0;
  TokenCount& operator+=(const TokenCount& other) {
    source += other.source;
    target += other.target;
    cells += other.cells;
    return *this;
  }
};
/// Counts the tokens of the batch that make_batch would make from these sentences.
TokenCount count_tokens(const SentencePairs& pairs, std::span<const Index> sentences);

}  // namespace glassformer
