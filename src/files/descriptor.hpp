#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>

namespace glassformer {

using Bytes = std::span<const std::byte>;  ///< bytes to write; a view

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

}  // namespace glassformer
