#include "files/directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "files/user_error.hpp"

namespace glassformer {

DirectoryLock::DirectoryLock(const std::filesystem::path& directory)
    : file_(std::make_shared<const Descriptor>(directory / ".lock", O_WRONLY | O_CREAT | O_NOFOLLOW)) {
  if (::flock(file_->number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return;  // a file system without locks
    throw UserError(directory.string() + ": another process is training into this directory. Wait until it ends, or " +
                    "choose another directory with --output.");
  }
}

}  // namespace glassformer
