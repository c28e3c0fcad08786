#include "numerics/resident_memory.hpp"

#include <sys/resource.h>

#include <fstream>
#include <sstream>
#include <string>

namespace glassformer {
namespace {

constexpr std::int64_t kKiB = 1024;

/// What getrusage calls the peak counts a parent process's memory in, on Linux: /proc does not.
ResidentMemory from_proc() {
  ResidentMemory memory;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t amount = 0;
    words >> name >> amount;
    if (name == "VmRSS:") memory.now = amount * kKiB;
    if (name == "VmHWM:") memory.peak = amount * kKiB;
  }
  return memory;
}

ResidentMemory from_getrusage() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return {};
#ifdef __APPLE__
  const std::int64_t peak = usage.ru_maxrss;
#else
  const std::int64_t peak = usage.ru_maxrss * kKiB;
#endif
  return {peak, peak};
}

}  // namespace

ResidentMemory resident_memory() {
  const ResidentMemory memory = from_proc();
  return memory.peak > 0 ? memory : from_getrusage();
}

}  // namespace glassformer
