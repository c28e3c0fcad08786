#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string_view>
#include <vector>

#include "files/descriptor.hpp"

/// Writes files so that, after a crash, a full disk or a power failure, each file is either the old version or the new
/// one, never something in between. To do this, we write under another name, fsync, rename, and fsync the directory.
/// All functions throw as throw_disk_error() does.
namespace glassformer {

/// Writes or replaces a file.
void write_file_durably(const std::filesystem::path& file, const std::vector<Bytes>& parts);
void write_file_durably(const std::filesystem::path& file, std::string_view text);

/// Calls `fill` to write files into a new directory, .NAME.partial, which then replaces `target`. If anything fails,
/// the new directory is removed, and an existing `target` stays as it was.
void write_directory_durably(const std::filesystem::path& target,
                             const std::function<void(const std::filesystem::path& unfinished)>& fill);

/// Removes a directory. If the process is killed halfway, `target` is either still complete or gone.
void remove_directory_durably(const std::filesystem::path& target);

/// For each NAME with is_ours(NAME), removes what a killed process left in `parent`, or undoes its unfinished swap.
void clear_unfinished_directories(const std::filesystem::path& parent,
                                  const std::function<bool(const std::string& name)>& is_ours);

bool is_unfinished_name(const std::filesystem::path& path);  ///< .NAME.partial or .NAME.replaced
/// The path that an unfinished file or directory gets once it is finished.
std::filesystem::path finished(const std::filesystem::path& path);

/// Makes the symbolic link point to `target`, relative to the link's directory. Replaces a link or a file; a directory
/// in the link's place is an error.
void point_link_durably(const std::filesystem::path& link, const std::filesystem::path& target);

/// Ends the name of a directory that is being replaced.
inline constexpr std::string_view kReplacedSuffix = ".replaced";

/// Replaces a directory by a symbolic link. If the process is killed in between, clear_unfinished_directories moves the
/// directory back.
void replace_by_link_durably(const std::filesystem::path& directory, const std::filesystem::path& target);

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
