#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batching/sentence_pairs.hpp"
#include "text/tokenizer.hpp"

namespace glassformer {

/// The arrays of a corpus: see SentencePairs.
struct CorpusArrays {
  std::span<const Id> ids;
  std::span<const std::int64_t> offsets;  ///< [2 * pairs + 1]
  std::span<const Index> lines;           ///< [pairs] from 0: which line of the files each pair is
};

/// Arrays that lie in mapped files, and what keeps them there.
struct MappedArrays : CorpusArrays {
  std::vector<std::shared_ptr<const void>> memory;
};

/// How many lines were read into a corpus, and how many of them were left out of it.
struct LineCounts {
  Index read = 0, empty = 0, too_long = 0;
};

/// Tokenized sentence pairs. The arrays grow in memory; those of a large corpus are then moved to files (CorpusFiles).
class Corpus {
 public:
  Corpus() = default;
  Corpus(SpecialIds source_special, SpecialIds target_special)
      : source_special_(source_special), target_special_(target_special) {}

  /// Reads and tokenizes both files. Leaves out, and counts, pairs with an empty side or with more than max_length
  /// tokens on a side. max_length 0: no limit, for test data. \throws UserError: unreadable files, different numbers of
  /// lines, no pair left
  static Corpus read(const std::filesystem::path& source_file, const std::filesystem::path& target_file,
                     const TokenizerPair& tokenizers, Index max_length);
  /// Tokenizes the next pair of lines and adds it, or leaves it out. sampling above 0: by Tokenizer::sample.
  void add(const TokenizerPair& tokenizers, const std::string& source_line, const std::string& target_line,
           Index max_length, double sampling = 0);
  /// Adds a pair, without bos and eos. \pre the spans lie outside this corpus
  void append(std::span<const Id> source, std::span<const Id> target, Index line);
  /// \throws UserError, which begins with `files`: there is no pair
  void refuse_empty(const std::string& files, Index max_length) const;

  /// A view, until the corpus grows or ends.
  operator SentencePairs() const {  // NOLINT(google-explicit-constructor)
    return {arrays().ids, arrays().offsets, source_special_, target_special_};
  }
  Index size() const { return std::ssize(arrays().lines); }
  std::span<const Id> source(Index i) const { return SentencePairs(*this).source(i); }
  std::span<const Id> target(Index i) const { return SentencePairs(*this).target(i); }
  Index line(Index i) const { return arrays().lines[static_cast<std::size_t>(i)]; }  ///< from 0, in the files
  CorpusArrays arrays() const { return mapped_ ? CorpusArrays(*mapped_) : CorpusArrays{ids_, offsets_, lines_}; }
  Index tokens() const { return std::ssize(arrays().ids); }  ///< of both sides
  std::int64_t bytes_in_memory() const;                      ///< 0 once the arrays lie in files
  bool is_mapped() const { return mapped_.has_value(); }
  const LineCounts& line_counts() const { return line_counts_; }

  /// Drops the pairs, and keeps the counts and the memory.
  void clear_pairs();
  /// Takes these arrays for its own.
  void map(MappedArrays arrays, const LineCounts& counts);

 private:
  SpecialIds source_special_, target_special_;
  std::vector<Id> ids_;
  std::vector<std::int64_t> offsets_ = {0};
  std::vector<Index> lines_;
  std::optional<MappedArrays> mapped_;
  LineCounts line_counts_;
};

/// Identifies the tokens and where sentences end.
std::uint64_t fingerprint(const SentencePairs& pairs);

}  // namespace glassformer
