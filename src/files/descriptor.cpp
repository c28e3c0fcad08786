#include "glassformer/files/descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "glassformer/files/unfinished.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {

void throw_disk_error(const std::string& what, const std::filesystem::path& path, const std::error_code& reason) {
  const std::string message = finished(path).string() + ": " + what + ": " + reason.message() + ".";
  const bool is_full = reason == std::errc::no_space_on_device || reason == std::errc::file_too_large ||
                       reason == std::error_code(EDQUOT, std::generic_category());
  if (is_full) {
    throw std::runtime_error(message + " Free some space there and try again. (A run that has a checkpoint can be " +
                             "continued with --resume.)");
  }
  for (const int mistake : {ENOENT, EACCES, EPERM, EISDIR, ENOTDIR, ENAMETOOLONG, ELOOP, EROFS, EEXIST, ENXIO, EBADF}) {
    if (reason == std::error_code(mistake, std::generic_category())) {
      throw UserError(message);
    }
  }
  throw std::runtime_error(message);
}

std::error_code last_error() { return {errno, std::generic_category()}; }

Descriptor::Descriptor(const std::filesystem::path& path, int flags)
    : Descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0666), path) {}

Descriptor::Descriptor(int number, std::filesystem::path name) : path_(std::move(name)), number_(number) {
  if (number_ < 0) {
    throw_disk_error("cannot be opened", path_, last_error());
  }
}

Descriptor::~Descriptor() {
  if (number_ >= 0) {
    ::close(number_);
  }
}

std::size_t Descriptor::read(std::span<char> bytes) {
  ssize_t count = 0;
  do {
    count = ::read(number_, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    throw_disk_error("cannot be read", path_, last_error());
  }
  return static_cast<std::size_t>(count);
}

void Descriptor::write(Bytes bytes) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 30;  // systems refuse more than about 2 GB in one call
  while (!bytes.empty()) {
    const ssize_t written = ::write(number_, bytes.data(), std::min(bytes.size(), kAtOnce));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      throw_disk_error("cannot be written", path_, last_error());
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void Descriptor::sync() {
  // EINVAL: this kind of file or file system does not support fsync; there is no alternative.
  if (::fsync(number_) != 0 && errno != EINVAL) {
    throw_disk_error("cannot be written to disk", path_, last_error());
  }
}

void Descriptor::close() {
  if (::close(std::exchange(number_, -1)) != 0) {
    throw_disk_error("cannot be closed", path_, last_error());
  }
}

}  // namespace glassformer
