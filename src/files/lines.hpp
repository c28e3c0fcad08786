#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/fingerprint.hpp"
#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// Reads UTF-8 text line by line. Only LF and CRLF end a line, not U+2028 and the like. A byte order mark is dropped.
/// A regular file may grow while it is read, but not shrink.
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 24;  ///< bytes; a device may never end a line

  /// \throws UserError: the file cannot be opened
  explicit LineReader(const std::filesystem::path& file);
  static LineReader of_standard_input();

  /// Stores the next line, without its line ending; returns false after the last one.
  /// \throws UserError: invalid UTF-8, a NUL byte or a line that is too long (the message names file and line); UTF-16
  ///         or another format (see other_format), only CR as line ending, or a file that became shorter (the
  ///         message names the file). If the disk fails: as Descriptor::read
  bool next(std::string& line);
  /// Whether next() would return a whole line without waiting for input.
  bool has_line_waiting();
  const std::filesystem::path& path() const { return file_->path(); }
  Index lines_read() const { return lines_read_; }

  std::function<void()> while_waiting;  ///< called repeatedly while we wait for input; may throw
  /// Called for a line that is not UTF-8, instead of throwing. Bad bytes and NUL then become U+FFFD. A file in another
  /// format throws in any case, because no readable text would be left.
  std::function<void(const std::string& found)> on_invalid;

 private:
  explicit LineReader(std::unique_ptr<Descriptor> file);
  bool read_more();  // false at the end
  void check_first_line() const;
  bool has_whole_line();

  std::unique_ptr<Descriptor> file_;
  std::string buffer_;        // what has been read
  std::size_t begin_ = 0;     // of the next line in it
  std::size_t searched_ = 0;  // no line ending before this position
  Index lines_read_ = 0;
  std::int64_t left_ = 0;  // bytes that a regular file still had when it was opened; negative if it has grown
};

/// Reads parallel text: line i of one file is the translation of line i of the other.
class ParallelReader {
 public:
  ParallelReader(const std::filesystem::path& source_file, const std::filesystem::path& target_file)
      : source_(source_file), target_(target_file) {}

  /// False after the last pair. \throws UserError as LineReader does; one file has more lines than the other
  bool next(std::string& source, std::string& target);
  /// Whether next() would return a pair without waiting for input.
  bool has_pair_waiting() { return source_.has_line_waiting() && target_.has_line_waiting(); }
  /// Sets the function that is called repeatedly while we wait for input. It may throw.
  void while_waiting(const std::function<void()>& call) { source_.while_waiting = target_.while_waiting = call; }
  /// Identifies the lines read so far. Positive, and the same as in version 0.1, so that its runs can be resumed.
  Index fingerprint() const;

 private:
  LineReader source_, target_;
  Fingerprint lines_;
};

}  // namespace glassformer
