#pragma once

#include <filesystem>
#include <string>

#include "files/fingerprint.hpp"
#include "files/lines.hpp"
#include "files/user_error.hpp"

namespace glassformer {

/// Reads two files side by side: line i of one is the translation of line i of the other.
class ParallelReader {
 public:
  /// \throws UserError as LineReader
  ParallelReader(const std::filesystem::path& source_file, const std::filesystem::path& target_file)
      : source_file_(source_file), target_file_(target_file), source_(source_file), target_(target_file) {}

  /// False after the last pair. \throws UserError as LineReader; one file has more lines than the other
  bool next(std::string& source, std::string& target);
  /// Identifies the lines read so far. Above 0, and the same as in version 0.1, whose runs can be resumed.
  Index fingerprint() const;

 private:
  UserError unequal();

  std::filesystem::path source_file_, target_file_;
  LineReader source_, target_;
  Fingerprint lines_;
};

}  // namespace glassformer
