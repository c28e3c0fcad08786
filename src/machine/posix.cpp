// For systems other than Linux, such as macOS. Only what POSIX and macOS have; the rest is "unknown".
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "glassformer/machine/memory.hpp"
#include "glassformer/machine/program.hpp"
#include "glassformer/machine/system.hpp"

namespace glassformer {

void ask_for_huge_pages(void* /*memory*/, std::size_t /*bytes*/) {}

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
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES);
  if (pages <= 0) {
    return {};
  }
  const std::int64_t ram = pages * sysconf(_SC_PAGESIZE) / processes;
  const std::int64_t left = std::max<std::int64_t>(1, ram - resident_memory().peak);
  return {left, 0, "the machine's memory"};
}

Processors allowed_processors() { return {}; }

std::filesystem::path program_file() { return {}; }

void restart_without_avx512(char** /*arguments*/) {}

}  // namespace glassformer
