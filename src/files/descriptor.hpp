#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace glassformer {

using Bytes = std::span<const std::byte>;  ///< bytes to write; owns nothing

/// Throws UserError if the path is wrong or cannot be used in this way, std::runtime_error if the disk or the
/// machine is at fault. For .NAME.partial, the message gives NAME.
[[noreturn]] void throw_disk_error(const std::string& what, const std::filesystem::path& path,
                                   const std::error_code& reason);
std::error_code last_error();  ///< errno

/// An open file descriptor. All members throw as throw_disk_error() does.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags);
  /// Takes ownership of what open() returned; throws if that is -1. Messages call it `name`.
  Descriptor(int number, std::filesystem::path name);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  /// Reads up to bytes.size() bytes, and returns how many; 0 at the end.
  std::size_t read(std::span<char> bytes);
  void write(Bytes bytes);
  void sync();
  void close();
  const std::filesystem::path& path() const { return path_; }
  int number() const { return number_; }

 private:
  std::filesystem::path path_;
  int number_ = -1;
};

/// Locks a directory until the last copy of this object is destroyed or the process ends. The lock belongs to the
/// directory itself, so nobody can remove it by deleting a file. If there is a file .lock, as version 0.2 leaves it,
/// that is locked, too. Some file systems (NFS, for example) cannot lock a directory; then such a file is made and
/// stays.
class DirectoryLock {
 public:
  /// \throws UserError: another process has the lock, or the directory cannot be opened
  explicit DirectoryLock(const std::filesystem::path& directory);

  /// False if the file system has no locks at all: then nothing keeps another process out.
  bool is_held() const { return !locked_.empty(); }

 private:
  std::vector<std::shared_ptr<const Descriptor>> locked_;
};

}  // namespace glassformer
