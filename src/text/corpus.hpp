#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "text/tokenizer.hpp"

namespace glassformer {

/// Where parallel text lies: directory/NAME.LANGUAGE, one sentence a line, line i of one file the translation
/// of line i of the other.
struct DataSettings {
  std::filesystem::path directory;
  std::string source_language;     ///< the ending of the source files, for example en
  std::string target_language;
  std::string train = "train";     ///< a NAME
  std::string valid = "valid";
  std::vector<std::string> tests;  ///< NAMEs; may be empty
  Index max_length = 100;          ///< pairs with more tokens on a side (eos not counted) are not trained on

  std::filesystem::path source_file(const std::string& name) const {
    return directory / (name + "." + source_language);
  }
  std::filesystem::path target_file(const std::string& name) const {
    return directory / (name + "." + target_language);
  }
  bool operator==(const DataSettings&) const = default;
};

/// The lines of a UTF-8 file without their line ends (\n or \r\n); a byte order mark at the start is dropped.
/// \throws UserError: no such file, a directory, invalid UTF-8 or a NUL byte (with the line's number)
std::vector<std::string> read_lines(const std::filesystem::path& file);

/// Tokenized sentence pairs. All tokens of a side lie in one vector, so that a pair costs no allocation.
class Corpus {
 public:
  Corpus() = default;
  /// No pairs yet; append() adds them.
  Corpus(SpecialIds source_special, SpecialIds target_special)
      : source_special_(source_special), target_special_(target_special) {}

  /// Reads and tokenizes both files. Pairs with an empty side or more than max_length tokens on one side are
  /// left out and counted. max_length 0: no limit, for test data.
  /// \throws UserError: unreadable files, different numbers of lines, no pair left
  static Corpus read(const std::filesystem::path& source_file, const std::filesystem::path& target_file,
                     const TokenizerPair& tokenizers, Index max_length);

  Index size() const { return static_cast<Index>(lines_.size()); }
  /// The pair's tokens, without bos and eos.
  std::span<const Id> source(Index i) const { return tokens(source_ids_, source_ends_, i); }
  std::span<const Id> target(Index i) const { return tokens(target_ids_, target_ends_, i); }
  Index line(Index i) const { return lines_[static_cast<std::size_t>(i)]; }  ///< from 0, in the files
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
  SpecialIds source_special_, target_special_;
  Index left_out_empty_ = 0, left_out_long_ = 0;
};

}  // namespace glassformer
