#include "glassformer/files/checkpoint_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <system_error>

#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

constexpr const char* kCopyAgain = "copy the checkpoint again, or use another one";

/// Whether at least a quarter of the file is on the disk. The rest consists of holes, which take no space.
bool is_there(const std::filesystem::path& file, std::uintmax_t size) {
  const Descriptor opened(file, O_RDONLY);
  off_t begin = 0;
  off_t end = 0;
  off_t bytes = 0;
  while ((begin = ::lseek(opened.number(), end, SEEK_DATA)) >= 0) {
    end = ::lseek(opened.number(), begin, SEEK_HOLE);
    bytes += end - begin;
  }
  return errno != ENXIO || static_cast<std::uintmax_t>(bytes) >= size / 4;  // ENXIO: there is no more data
}

/// \throws as throw_disk_error() does: the file has vanished, for example
std::uintmax_t size_of(const std::filesystem::path& file) {
  std::error_code reason;
  const std::uintmax_t size = std::filesystem::file_size(file, reason);
  if (reason) {
    throw_disk_error("cannot be read", file, reason);
  }
  return size;
}

}  // namespace

void check_checkpoint_file(const std::filesystem::path& file, std::uintmax_t longest) {
  std::error_code reason;
  const std::filesystem::file_status status = std::filesystem::status(file, reason);
  if (status.type() == std::filesystem::file_type::none) {
    throw_disk_error("cannot be read", file, reason);
  }
  if (!std::filesystem::exists(status)) {
    return;
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw UserError(file.string() + ": expected a regular file, found a directory, a device or a pipe; " + kCopyAgain);
  }
  const std::uintmax_t size = size_of(file);
  if (size > longest) {
    throw UserError(file.string() + ": expected at most " + std::to_string(longest) + " bytes, found " +
                    std::to_string(size) + "; " + kCopyAgain);
  }
  if (size > kLongestConfig && !is_there(file, size)) {
    throw UserError(file.string() + ": this is a sparse file, and most of its data is missing; " + kCopyAgain);
  }
}

Descriptor open_checkpoint_file(const std::filesystem::path& file, std::uintmax_t longest) {
  check_checkpoint_file(file, longest);
  return {file, O_RDONLY};
}

std::string read_checkpoint_file(const std::filesystem::path& file, std::uintmax_t longest) {
  Descriptor input = open_checkpoint_file(file, longest);
  std::string bytes(size_of(file), '\0');  // files in /proc have size 0, even if they never end
  std::size_t size = 0;
  while (const std::size_t count = input.read(std::span(bytes).subspan(size))) {
    size += count;
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace glassformer
