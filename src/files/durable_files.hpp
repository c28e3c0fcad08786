#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>
#include <vector>

#include "files/descriptor.hpp"

/// Files that a crash, a full disk or a cut of power leaves either as they were or as they should be, never in
/// between. The recipe is always the same: write under another name, have the disk confirm it (fsync), rename,
/// have the disk confirm the directory. A rename happens wholly or not at all.
///
/// Every failure is a UserError that names the file and the reason which the system gave; where the disk is full or
/// broken, a std::runtime_error.
namespace glassformer {

/// The file of these parts, one after the other.
void write_file_durably(const std::filesystem::path& file, const std::vector<Bytes>& parts);
/// The file of this text.
void write_file_durably(const std::filesystem::path& file, std::string_view text);

/// Has `fill` write files into a new directory, which then takes the name `target`. Until that moment it is called
/// .NAME.partial; whatever goes wrong, it is removed and an older directory of the name stands untouched.
void write_directory_durably(const std::filesystem::path& target,
                             const std::function<void(const std::filesystem::path& unfinished)>& fill);

/// Removes a directory; killed half-way, it leaves nothing under the directory's own name.
void remove_directory_durably(const std::filesystem::path& target);

/// Cleans `parent` of what a killed process left behind in these functions, and finishes an interrupted swap.
/// is_ours(name) says of what would be called `name` whether it is the caller's.
void clear_unfinished_directories(const std::filesystem::path& parent,
                                  const std::function<bool(const std::string& name)>& is_ours);

/// Whether the name is one that an unfinished directory bears.
bool is_unfinished_name(const std::filesystem::path& path);
/// The path that an unfinished file or directory will have once it is finished.
std::filesystem::path finished(const std::filesystem::path& path);

/// Makes the symbolic link point to `target`, which is relative to the link's directory.
void point_link_durably(const std::filesystem::path& link, const std::filesystem::path& target);

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
