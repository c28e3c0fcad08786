#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "files/durable_files.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// The ids of a corpus that is too large for memory: a file that is written once, then mapped read-only. It has no
/// name, so the system deletes it when the process ends, however it ends. Every failure throws as throw_disk_error().
class IdFile {
 public:
  explicit IdFile(const std::filesystem::path& directory);
  void append(std::span<const Id> ids) { file_.write(std::as_bytes(ids)); }
  void map();
  std::span<const Id> ids() const { return ids_; }  ///< \pre mapped

 private:
  Descriptor file_;
  std::shared_ptr<void> memory_;
  std::span<const Id> ids_;
};

}  // namespace glassformer
