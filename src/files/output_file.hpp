#pragma once

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

namespace glassformer {

/// A file that is written from start to end. Until finish() it is called FILE.1a2b3c4d, with random digits, so that an
/// older FILE survives a failure. If FILE is a link to a file, that file is replaced. (A device or a pipe is written
/// directly.) Without a path, or as /dev/stdout, it is standard output.
class OutputFile {
 public:
  /// \throws as throw_disk_error() does
  explicit OutputFile(std::filesystem::path file);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes the file if nothing was flushed.
  ~OutputFile();

  std::ostream& stream() { return file_.empty() ? std::cout : stream_; }
  /// \throws std::runtime_error: the file cannot be written completely
  void flush();
  /// Keeps what was flushed, and returns the name of the file that holds it; "" for standard output.
  const std::filesystem::path& keep();
  /// Renames the file to FILE. If another program has written FILE since we started, keeps both files.
  /// \throws std::runtime_error: another program has written FILE, or the file cannot be written completely
  void finish();

 private:
  std::filesystem::path file_, target_, written_;
  std::string replaced_;  // the target's version when we started; "" if there was none
  bool is_kept_ = false;
  std::streamoff flushed_ = 0;  // bytes
  std::ofstream stream_;
};

}  // namespace glassformer
