#include "glassformer/files/directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

enum class Lock { held, taken_by_another_process, unsupported };

Lock lock(const Descriptor& opened) {
  if (::flock(opened.number(), LOCK_EX | LOCK_NB) == 0) {
    return Lock::held;
  }
  return errno == EWOULDBLOCK ? Lock::taken_by_another_process : Lock::unsupported;
}

/// Opens the file .lock, and creates it if necessary; null if that fails or it is not a regular file.
std::shared_ptr<const Descriptor> open_lock_file(const std::filesystem::path& file) {
  const int number = ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (number < 0) {
    return nullptr;
  }
  auto opened = std::make_shared<const Descriptor>(number, file);
  struct stat status {};
  const bool is_file = ::fstat(number, &status) == 0 && S_ISREG(status.st_mode);
  return is_file ? opened : nullptr;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::filesystem::path& directory) {
  auto opened = std::make_shared<const Descriptor>(directory, O_RDONLY | O_DIRECTORY);
  const Lock of_directory = lock(*opened);
  Lock of_file = Lock::unsupported;
  std::error_code ignored;
  std::shared_ptr<const Descriptor> file;
  const bool has_file = std::filesystem::exists(std::filesystem::symlink_status(directory / ".lock", ignored));
  if (of_directory == Lock::unsupported || has_file) {  // version 0.2 locks the file
    file = open_lock_file(directory / ".lock");
    if (file) {
      of_file = lock(*file);
    }
  }
  if (of_directory == Lock::taken_by_another_process || of_file == Lock::taken_by_another_process) {
    throw UserError(directory.string() + ": another process is training in this directory. Wait for it to finish, or " +
                    "choose another directory with --output.");
  }
  if (of_directory == Lock::held) {
    locked_.push_back(std::move(opened));
  }
  if (of_file == Lock::held) {
    locked_.push_back(std::move(file));
  }
}

}  // namespace glassformer
