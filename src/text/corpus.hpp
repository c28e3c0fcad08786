#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "batching/sentence_pairs.hpp"
#include "text/growing_array.hpp"
#include "text/tokenizer.hpp"

namespace glassformer {

/// How many lines were read for a corpus, and how many of them were left out of it.
struct LineCounts {
  Index read = 0, empty = 0, too_long = 0;
};

/// Tokenized sentence pairs, kept in memory or, if there are too many, in files.
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
  /// Tokenizes the next pair of lines and adds it, or leaves it out. `sampling`: see Tokenizer::encode.
  void add(const TokenizerPair& tokenizers, const std::string& source_line, const std::string& target_line,
           Index max_length, double sampling = 0);
  /// Adds a pair, without bos and eos. \pre the spans do not point into this corpus
  void append(std::span<const Id> source, std::span<const Id> target, Index line);
  /// \throws UserError whose message starts with `files`: there is no pair
  void throw_if_empty(const std::string& files, Index max_length) const;

  /// From now on, all pairs go to files in `directory`. Call map() after the last pair. \throws as NamelessFile does
  void move_to_file(const std::filesystem::path& directory);
  void map();

  /// A view, valid until the corpus grows or is destroyed. \pre map() was called if the pairs are in files
  operator SentencePairs() const& {  // NOLINT(google-explicit-constructor)
    return {ids_.values(), offsets_.values(), source_special_, target_special_};
  }
  operator SentencePairs() const&& = delete;  // the view would outlive the corpus
  Index size() const { return size_; }
  std::span<const Id> source(Index i) const { return SentencePairs(*this).source(i); }
  std::span<const Id> target(Index i) const { return SentencePairs(*this).target(i); }
  Index line(Index i) const { return lines_.values()[static_cast<std::size_t>(i)]; }  ///< number in the files, from 0
  Index tokens() const { return tokens_; }                                            ///< of both sides
  std::int64_t bytes_in_memory() const;
  bool is_in_file() const { return ids_.is_in_file(); }
  const LineCounts& line_counts() const { return line_counts_; }

 private:
  SpecialIds source_special_, target_special_;
  GrowingArray<Id> ids_;
  GrowingArray<std::int64_t> offsets_;  // [2 * pairs + 1]
  GrowingArray<Index> lines_;           // [pairs] each pair's line number in the files, from 0
  Index size_ = 0, tokens_ = 0;
  LineCounts line_counts_;
};

/// Identifies the tokens and where sentences end.
std::uint64_t fingerprint(const SentencePairs& pairs);

}  // namespace glassformer
