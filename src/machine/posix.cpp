// For systems other than Linux, such as macOS. Only what POSIX and macOS have; the rest is "unknown".
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <climits>

#include "machine/system.hpp"

namespace glassformer {

void use_huge_pages() {}

ResidentMemory resident_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  constexpr std::int64_t kUnit = 1;
#else
  constexpr std::int64_t kUnit = 1024;
#endif
  return {0, usage.ru_maxrss * kUnit};
}

MemoryLeft memory_left(int processes, const std::filesystem::path& /*root*/) {
  MemoryLeft left;
  if (const std::int64_t pages = sysconf(_SC_PHYS_PAGES); pages > 0)
    consider(left, pages * sysconf(_SC_PAGESIZE) / processes - resident_memory().peak, "the machine's memory");
  consider_ulimit(left, RLIMIT_AS, 0, "ulimit -v");
  consider_ulimit(left, RLIMIT_DATA, 0, "ulimit -d");
  left.available = left.bytes;
  return left;
}

Processors allowed_processors() { return {}; }

std::filesystem::path path_of_directory(int descriptor) {
#ifdef F_GETPATH
  std::array<char, PATH_MAX> path{};
  if (fcntl(descriptor, F_GETPATH, path.data()) != -1) return path.data();
#endif
  static_cast<void>(descriptor);
  return {};
}

std::filesystem::path program_file() { return {}; }

void restart_without_avx512(char** /*arguments*/) {}

}  // namespace glassformer
