#pragma once

#include <filesystem>
#include <memory>

#include "files/descriptor.hpp"

namespace glassformer {

/// Keeps other processes from writing into a directory, as long as this object or a copy of it lives. The system
/// releases the lock when the process ends, however it ends. The file .lock, which the lock is on, stays.
class DirectoryLock {
 public:
  /// \throws UserError: another process has the lock, or the directory cannot be written
  explicit DirectoryLock(const std::filesystem::path& directory);

 private:
  std::shared_ptr<const Descriptor> file_;
};

}  // namespace glassformer
