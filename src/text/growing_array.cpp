#include "text/growing_array.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace glassformer {

NamelessFile::NamelessFile(const std::filesystem::path& directory)
    : file_(directory / (".glassformer-ids-" + std::to_string(::getpid())), O_RDWR | O_CREAT | O_EXCL) {
  std::filesystem::remove(file_.path());
}

void NamelessFile::append(Bytes bytes) {
  file_.write(bytes);
  size_ += bytes.size();
}

Bytes NamelessFile::map() {
  if (size_ == 0) return {};
  void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file_.number(), 0);
  if (mapped == MAP_FAILED) throw_disk_error("cannot be mapped into memory", file_.path(), last_error());
  mapping_ = std::shared_ptr<void>(mapped, [size = size_](void* memory) { ::munmap(memory, size); });
  // Sentences are read in random order, so the system should not read ahead.
  ::madvise(mapped, size_, MADV_RANDOM);
  return {static_cast<const std::byte*>(mapped), size_};
}

}  // namespace glassformer
