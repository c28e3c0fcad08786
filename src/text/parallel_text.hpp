#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "text/corpus.hpp"

namespace glassformer {

/// Two files of parallel text that may be larger than memory. They are cut into parts of equally many lines (the last
/// may have fewer), of which one at a time is read and tokenized.
class ParallelText {
 public:
  /// Reads both files once, to find where the parts begin and whether every line can be read.
  /// \throws UserError as ParallelReader
  ParallelText(const std::filesystem::path& source_file, const std::filesystem::path& target_file, Index part_lines);

  Index lines() const { return lines_; }
  Index parts() const { return std::ssize(parts_); }
  /// Tells this text from another one: above 0, made of all lines.
  Index fingerprint() const;

  /// The pairs of part `number` that can be trained on; see Corpus::add.
  /// \throws UserError: the files are no longer what they were
  Corpus read(Index number, const TokenizerPair& tokenizers, Index max_length, double sampling = 0) const;

 private:
  struct Part {
    ParallelReader::Place begin;
    Index lines = 0;
    std::uint64_t hash = 0;  // of its lines
  };

  std::filesystem::path source_file_, target_file_;
  std::vector<Part> parts_;  // at least one
  Index lines_ = 0;
};

}  // namespace glassformer
