#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "numerics/matrix.hpp"

namespace glassformer {

/// Reads a text file line by line, so that a corpus need not fit into memory. Only \n and \r\n end a line:
/// U+2028 and its like stay inside. A byte order mark at the start of the file is dropped.
class LineReader {
 public:
  /// \throws UserError: no such file, a directory, no permission
  explicit LineReader(const std::filesystem::path& file);

  /// Puts the next line into `line`, without its end; false after the last one.
  /// \throws UserError naming file, line and byte: invalid UTF-8, a NUL byte
  bool next(std::string& line);

  /// Whether text is there already, so that next() need not wait for whoever types or sends it.
  bool has_text_waiting() { return stream_.rdbuf()->in_avail() > 0; }

  Index lines_read() const { return lines_read_; }

 private:
  void check(const std::string& line) const;

  std::filesystem::path file_;
  std::ifstream stream_;
  Index lines_read_ = 0;
};

/// All bytes of a file. \throws UserError: no such file, a directory, no permission
std::string read_bytes(const std::filesystem::path& file);
/// Writes a file anew. \throws UserError: the file cannot be written
void write_bytes(const std::filesystem::path& file, const std::string& bytes);

}  // namespace glassformer
