#pragma once

#include <filesystem>
#include <fstream>

namespace glassformer {

/// A file to be written from beginning to end. Until finish() it has another name, FILE.partial, so that an older file
/// of its name is not lost to a mistake that shows half-way. (A device or a pipe is written to at once.)
class OutputFile {
 public:
  /// \throws UserError: it cannot be written, with the reason
  explicit OutputFile(std::filesystem::path file);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes what is not finished.
  ~OutputFile();

  std::ofstream& stream() { return stream_; }
  /// \throws std::runtime_error: the disk refuses
  void finish();

 private:
  std::filesystem::path file_, written_;
  std::ofstream stream_;
};

}  // namespace glassformer
