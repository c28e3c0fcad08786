#include "text/id_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace glassformer {

IdFile::IdFile(const std::filesystem::path& directory)
    : file_(directory / (".glassformer-ids-" + std::to_string(::getpid())), O_RDWR | O_CREAT | O_EXCL) {
  std::filesystem::remove(file_.path());
}

void IdFile::map() {
  const off_t end = ::lseek(file_.number(), 0, SEEK_CUR);
  if (end < 0) throw_disk_error("cannot be read", file_.path(), last_error());
  const auto bytes = static_cast<std::size_t>(end);
  if (bytes == 0) return;
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file_.number(), 0);
  if (mapped == MAP_FAILED) throw_disk_error("cannot be mapped into memory", file_.path(), last_error());
  memory_ = std::shared_ptr<void>(mapped, [bytes](void* memory) { ::munmap(memory, bytes); });
  // Sentences are read in random order, so what follows one of them on the disk need not be read with it.
  ::madvise(mapped, bytes, MADV_RANDOM);
  ids_ = {static_cast<const Id*>(mapped), bytes / sizeof(Id)};
}

}  // namespace glassformer
