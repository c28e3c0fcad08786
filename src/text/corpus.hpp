#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "glassformer/batching/sentence_pairs.hpp"
#include "glassformer/text/tokenizer.hpp"

namespace glassformer {

/// How many lines were read for a corpus, and how many of them were left out of it.
struct LineCounts {
  Index read = 0, empty = 0, too_long = 0;
};

/// Tokenized sentence pairs.
class Corpus {
 public:
  Corpus() = default;
  Corpus(SpecialIds source_special, SpecialIds target_special)
      : source_special_(source_special), target_special_(target_special) {}

  /// Reads and tokenizes both files. Leaves out, and counts, pairs with an empty side or with more than max_length
  /// tokens on one side. max_length 0: no limit, for test data. \throws UserError: unreadable files, different numbers
  /// of lines, no pair left
  static Corpus read(const std::filesystem::path& source_file, const std::filesystem::path& target_file,
                     const TokenizerPair& tokenizers, Index max_length);
  /// Tokenizes the next pair of lines and adds it, or leaves it out.
  void add(const TokenizerPair& tokenizers, const std::string& source_line, const std::string& target_line,
           Index max_length);
  /// The same for the next pair of lines, tokenized. \pre the spans do not point into this corpus
  void add(std::span<const Id> source, std::span<const Id> target, Index max_length);
  /// Adds a pair, without bos and eos. \pre the spans do not point into this corpus
  void append(std::span<const Id> source, std::span<const Id> target, Index line);
  /// \throws UserError whose message starts with `files`: there is no pair
  void throw_if_empty(const std::string& files, Index max_length) const;

  /// A view, valid until the corpus grows or is destroyed.
  operator SentencePairs() const& {  // NOLINT(google-explicit-constructor)
    return {ids_, offsets_, source_special_, target_special_};
  }
  operator SentencePairs() const&& = delete;  // the view would outlive the corpus
  Index size() const { return std::ssize(lines_); }
  std::span<const Id> source(Index i) const { return SentencePairs(*this).source(i); }
  std::span<const Id> target(Index i) const { return SentencePairs(*this).target(i); }
  Index line(Index i) const { return lines_[static_cast<std::size_t>(i)]; }  ///< number in the files, from 0
  Index tokens() const { return std::ssize(ids_); }                          ///< of both sides
  std::int64_t bytes() const;                                                ///< of memory
  const LineCounts& line_counts() const { return line_counts_; }

 private:
  SpecialIds source_special_, target_special_;
  std::vector<Id> ids_;
  std::vector<std::int64_t> offsets_ = {0};  // [2 * pairs + 1]
  std::vector<Index> lines_;                 // [pairs] each pair's line number in the files, from 0
  LineCounts line_counts_;
};

/// Identifies the tokens and where sentences end.
std::uint64_t fingerprint(const SentencePairs& pairs);

}  // namespace glassformer
