#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>
#include <vector>

#include "files/descriptor.hpp"

/// Files that a crash, a full disk or a power failure leaves as they were or as they should be, never in between. To
/// this end we write under another name, fsync, rename, and fsync the directory. All functions throw as
/// throw_disk_error() does.
namespace glassformer {

void write_file_durably(const std::filesystem::path& file, const std::vector<Bytes>& parts);
void write_file_durably(const std::filesystem::path& file, std::string_view text);

/// Has `fill` write files into a new directory, .NAME.partial, which then replaces `target`. If anything fails, it is
/// removed, and an older `target` stays as it was.
void write_directory_durably(const std::filesystem::path& target,
                             const std::function<void(const std::filesystem::path& unfinished)>& fill);

/// Removes a directory. If killed half-way, it leaves nothing under the directory's own name.
void remove_directory_durably(const std::filesystem::path& target);

/// Removes what a killed process left in `parent`, or undoes its half-done swap, for each NAME with is_ours(NAME).
void clear_unfinished_directories(const std::filesystem::path& parent,
                                  const std::function<bool(const std::string& name)>& is_ours);

bool is_unfinished_name(const std::filesystem::path& path);  ///< .NAME.partial or .NAME.replaced
/// The path that an unfinished file or directory will get.
std::filesystem::path finished(const std::filesystem::path& path);

/// Makes the symbolic link point to `target`, relative to the link's directory.
void point_link_durably(const std::filesystem::path& link, const std::filesystem::path& target);

/// A file to be written from beginning to end. Until finish() it is called FILE.partial, so that an older FILE survives
/// a failure. (A device or a pipe is written to at once.)
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
