#include "files/directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// Who has the lock has left his number in the file.
std::string holder(int descriptor) {
  std::array<char, 16> text{};
  const ssize_t length = ::pread(descriptor, text.data(), text.size(), 0);
  const std::string number(text.data(), static_cast<std::size_t>(length > 0 ? length : 0));
  return number.empty() ? "another process" : "process " + number.substr(0, number.find('\n'));
}

}  // namespace

DirectoryLock::DirectoryLock(const fs::path& directory) {
  const fs::path file = directory / ".lock";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) {
    throw UserError(file.string() + ": expected a file that can be written, found: " + system_reason() +
                    ". Check the directory's permissions, or choose another one with --output.");
  }
  descriptor_ = std::shared_ptr<const int>(new int(descriptor), [](const int* open) {
    ::close(*open);  // which gives the lock back
    delete open;
  });
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return;  // a file system that knows no locks: then there is none
    throw UserError(directory.string() + ": " + holder(descriptor) + " is training into this directory. Wait for its " +
                    "end, or choose another directory with --output.");
  }
  const std::string number = std::to_string(::getpid()) + '\n';
  // If that cannot be written, a message will be less precise: no reason to stop.
  const bool written = ::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, number.data(), number.size(), 0) > 0;
  static_cast<void>(written);
}

}  // namespace glassformer
