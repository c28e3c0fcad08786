#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "files/lines.hpp"
#include "text/tokenizer.hpp"
#include "user_error.hpp"

namespace glassformer {

/// Reads two files side by side: line i of the one is the translation of line i of the other.
class ParallelReader {
 public:
  /// \throws UserError as LineReader
  ParallelReader(const std::filesystem::path& source_file, const std::filesystem::path& target_file)
      : source_file_(source_file), target_file_(target_file), source_(source_file), target_(target_file) {}

  /// A place between two pairs.
  struct Place {
    LinePlace source, target;
  };
  /// From there on. \throws UserError as LineReader
  ParallelReader(const std::filesystem::path& source_file, const std::filesystem::path& target_file, Place from)
      : source_file_(source_file),
        target_file_(target_file),
        source_(source_file, from.source),
        target_(target_file, from.target) {}
  Place place() const { return {source_.place(), target_.place()}; }  ///< before the next pair

  /// False after the last pair. \throws UserError as LineReader; one file has more lines than the other
  bool next(std::string& source, std::string& target);

 private:
  UserError unequal();

  std::filesystem::path source_file_, target_file_;
  LineReader source_, target_;
};

/// Tokenized sentence pairs. All tokens of a side lie in one vector, so that a pair costs no allocation.
class Corpus {
 public:
  Corpus() = default;
  /// No pairs yet; append() adds them. `first_line`: how many lines the files have before those that add() will get.
  Corpus(SpecialIds source_special, SpecialIds target_special, Index first_line = 0)
      : first_line_(first_line), source_special_(source_special), target_special_(target_special) {}

  /// Reads and tokenizes both files. Pairs with an empty side or more than max_length tokens on one side are
  /// left out and counted. max_length 0: no limit, for test data.
  /// \throws UserError: unreadable files, different numbers of lines, no pair left
  static Corpus read(const std::filesystem::path& source_file, const std::filesystem::path& target_file,
                     const TokenizerPair& tokenizers, Index max_length);
  /// Tokenizes one more pair of lines and adds it, or leaves it out as read() does. sampling above 0: by
  /// Tokenizer::sample.
  void add(const TokenizerPair& tokenizers, const std::string& source_line, const std::string& target_line,
           Index max_length, double sampling = 0);
  /// \throws UserError, which begins with `files`: there is no pair
  void refuse_empty(const std::string& files, Index max_length) const;

  Index size() const { return static_cast<Index>(lines_.size()); }
  /// The pair's tokens, without bos and eos.
  std::span<const Id> source(Index i) const { return tokens(source_ids_, source_ends_, i); }
  std::span<const Id> target(Index i) const { return tokens(target_ids_, target_ends_, i); }
  Index line(Index i) const { return lines_[static_cast<std::size_t>(i)]; }  ///< from 0, in the files
  std::int64_t bytes() const;  ///< of memory
  std::uint64_t fingerprint() const;  ///< of all tokens
  Index left_out_empty() const { return left_out_empty_; }
  Index left_out_long() const { return left_out_long_; }
  SpecialIds source_special() const { return source_special_; }
  SpecialIds target_special() const { return target_special_; }

  /// Adds a pair, without bos and eos. \pre the spans lie outside this corpus
  void append(std::span<const Id> source, std::span<const Id> target, Index line);

 private:
  static std::span<const Id> tokens(const std::vector<Id>& ids, const std::vector<std::size_t>& ends, Index i) {
    const std::size_t begin = i == 0 ? 0 : ends[static_cast<std::size_t>(i) - 1];
    return std::span(ids).subspan(begin, ends[static_cast<std::size_t>(i)] - begin);
  }

  std::vector<Id> source_ids_, target_ids_;
  std::vector<std::size_t> source_ends_, target_ends_;
  std::vector<Index> lines_;
  Index first_line_ = 0, lines_read_ = 0;
  SpecialIds source_special_, target_special_;
  Index left_out_empty_ = 0, left_out_long_ = 0;
};

}  // namespace glassformer
