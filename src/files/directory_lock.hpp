#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "glassformer/files/descriptor.hpp"

namespace glassformer {

/// Locks a directory until the last copy of this object is destroyed or the process ends. The lock belongs to the
/// directory itself, so nobody can remove it by deleting a file. A file .lock, which version 0.2 leaves behind, is
/// locked, too. Some file systems (NFS, for example) cannot lock a directory; there, the file .lock is created and
/// locked, and stays.
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
