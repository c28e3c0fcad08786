#pragma once

#include <filesystem>
#include <memory>

namespace glassformer {

/// Keeps other processes from writing into a directory, as long as this object or a copy of it lives. The system takes
/// the lock back when the process ends, however it ends: nothing is left to be cleaned up. (Which is why the file
/// .lock, that the lock is on, stays.)
class DirectoryLock {
 public:
  /// \throws UserError: another process has the lock, or the directory cannot be written
  explicit DirectoryLock(const std::filesystem::path& directory);

 private:
  std::shared_ptr<const int> descriptor_;
};

}  // namespace glassformer
