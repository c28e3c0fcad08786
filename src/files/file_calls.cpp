#include "glassformer/files/file_calls.hpp"

#include <fcntl.h>

#include <system_error>

#include "glassformer/files/descriptor.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

}  // namespace

void sync(const fs::path& path) { Descriptor(path, O_RDONLY).sync(); }

void rename_path(const fs::path& from, const fs::path& to) {
  std::error_code reason;
  fs::rename(from, to, reason);
  if (reason) {
    throw_disk_error("cannot be renamed to " + to.filename().string(), from, reason);
  }
}

void remove_path(const fs::path& path) {
  std::error_code reason;
  fs::remove_all(path, reason);
  if (reason) {
    throw_disk_error("cannot be removed", path, reason);
  }
}

int create_file(const fs::path& file, mode_t mode) {
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

RemoveUnfinished::~RemoveUnfinished() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

}  // namespace glassformer
