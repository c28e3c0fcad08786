#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/corpus.hpp"

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
  std::vector<Index> sentences;  ///< [B] which pair of the corpus each row is

  Index size() const { return source.rows(); }
};

/// The pairs of the corpus that `sentences` names, padded. (Whichever order they are in, they keep it.)
Batch make_batch(const Corpus& corpus, std::span<const Index> sentences);

/// How many tokens of the padded batch are no padding, and how many cells it has, on both sides together.
/// target counts target_output (eos included), source counts eos.
struct TokenCount {
  Index source = 0, target = 0, cells = 0;
  TokenCount& operator+=(const TokenCount& other);
  double padding_share() const;  ///< 0..1
};
/// Of the batch that make_batch would make of these sentences.
TokenCount count_tokens(const Corpus& corpus, std::span<const Index> sentences);

/// The order in which an epoch goes through the parts of a text: 0 .. parts-1, shuffled. It depends on the arguments
/// alone, and is the same everywhere.
std::vector<Index> shuffled_parts(Index parts, std::uint64_t seed, Index epoch);

/// One epoch of a corpus: which sentences make up each batch. A batch holds at most `max_tokens` padded tokens of its
/// larger side (sentences x longest sentence, eos counted; one sentence longer than that makes a batch of its
/// own), and sentences of similar length together. Order within a length, and order of the batches, are
/// shuffled; the result depends on the corpus, max_tokens, seed and round alone, and is the same everywhere.
/// A round is an epoch, or a part's share of one.
std::vector<std::vector<Index>> plan_epoch(const Corpus& corpus, Index max_tokens, std::uint64_t seed,
                                           Index round);

/// The same without shuffling, for validation and tests: longest sentences first.
std::vector<std::vector<Index>> plan_in_order(const Corpus& corpus, Index max_tokens);

/// Cuts a batch into at most `parts` groups of whole sentences of about equal cost, none empty, sentences of
/// similar length together. Depends on nothing but its arguments.
std::vector<std::vector<Index>> cut_into_parts(const Corpus& corpus, std::span<const Index> sentences, Index parts);

}  // namespace glassformer
