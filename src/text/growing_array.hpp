#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "files/descriptor.hpp"

namespace glassformer {

/// A file without a name: the system deletes it when the process ends, however it ends. All members throw as
/// throw_disk_error() does.
class NamelessFile {
 public:
  explicit NamelessFile(const std::filesystem::path& directory);
  void append(Bytes bytes);
  /// Maps all bytes into memory; the system loads the parts that are used. After this, nothing can be appended.
  Bytes map();

 private:
  Descriptor file_;
  std::size_t size_ = 0;
  std::shared_ptr<void> mapping_;
};

/// An array that grows in memory or, after move_to_file(), in a file.
template <class T>
class GrowingArray {
 public:
  void append(std::span<const T> values) {
    values_.insert(values_.end(), values.begin(), values.end());
    constexpr std::size_t kWrittenAtOnce = std::size_t{1} << 20;
    if (file_ && values_.size() >= kWrittenAtOnce) write();
  }
  void move_to_file(const std::filesystem::path& directory) {
    file_ = std::make_unique<NamelessFile>(directory);
    write();
    values_.shrink_to_fit();
  }
  /// Call it after the last append. Before that, values() of an array in a file is empty.
  void map() {
    if (!file_) return;
    write();
    values_.shrink_to_fit();
    const Bytes bytes = file_->map();
    mapped_ = {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  bool is_in_file() const { return file_ != nullptr; }
  std::span<const T> values() const { return file_ ? mapped_ : values_; }
  std::int64_t bytes_in_memory() const { return static_cast<std::int64_t>(values_.capacity() * sizeof(T)); }

 private:
  void write() {
    file_->append(std::as_bytes(std::span(values_)));
    values_.clear();
  }

  std::vector<T> values_;  // all, or those not yet in the file
  std::unique_ptr<NamelessFile> file_;
  std::span<const T> mapped_;
};

}  // namespace glassformer
