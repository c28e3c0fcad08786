#include "machine/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include "numerics/matrix_memory.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kKiB = 1024;

/// A line "NAME:   123 kB" of a file in /proc, in bytes; 0 if there is none.
std::int64_t figure(const fs::path& file, const std::string& name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    std::int64_t amount = 0;
    if (words >> first >> amount && first == name + ":") return amount * kKiB;
  }
  return 0;
}

/// Keeps the smallest limit seen.
void consider(MemoryLeft& left, std::int64_t bytes, const std::string& limit) {
  bytes = std::max<std::int64_t>(1, bytes);  // 0 means unknown
  if (left.bytes == 0 || bytes < left.bytes) {
    left.bytes = bytes;
    left.limit = limit;
  }
}

/// The smallest limit of this process's cgroup and those around it; 0: none. Inside a container, the path of the cgroup
/// may be one that only the host has, but then the container's own limit is at sys/fs/cgroup.
std::int64_t cgroup_limit(const fs::path& root) {
  const fs::path mounted = root / "sys/fs/cgroup";
  std::string line;
  std::ifstream(root / "proc/self/cgroup") >> line;  // "0::/outer/inner"
  const std::size_t colon = line.rfind(':');
  const fs::path cgroup = colon == std::string::npos ? "" : line.substr(colon + 1);
  std::int64_t smallest = 0;
  for (fs::path path = mounted / cgroup.relative_path();; path = path.parent_path()) {
    std::int64_t bytes = 0;  // without a limit, the file says "max"
    if (std::ifstream(path / "memory.max") >> bytes && bytes > 0 && (smallest == 0 || bytes < smallest)) {
      smallest = bytes;
    }
    if (path == mounted || path == path.parent_path()) return smallest;
  }
}

void consider_ulimit(MemoryLeft& left, int resource, std::int64_t used, const std::string& name) {
  rlimit limit{};
  if (getrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  constexpr rlim_t kMost = std::numeric_limits<std::int64_t>::max();
  consider(left, static_cast<std::int64_t>(std::min(limit.rlim_cur, kMost)) - used, name);
}

}  // namespace

void use_huge_pages() {
#ifdef MADV_HUGEPAGE
  prepare_large_memory = [](void* memory, std::size_t bytes) { madvise(memory, bytes, MADV_HUGEPAGE); };
#endif
}

ResidentMemory resident_memory() {
  // The peak of getrusage would include the memory of a parent process.
  return {figure("/proc/self/status", "VmRSS"), figure("/proc/self/status", "VmHWM")};
}

MemoryLeft memory_left(int processes, const fs::path& root) {
  const fs::path meminfo = root / "proc/meminfo", status = root / "proc/self/status";
  const std::int64_t resident = figure(status, "VmRSS"), swap = figure(meminfo, "SwapTotal");
  MemoryLeft left;
  if (const std::int64_t ram = figure(meminfo, "MemTotal"); ram > 0) {
    consider(left, (ram + swap) / processes - resident, "the machine's memory");
  }
  if (const std::int64_t limit = cgroup_limit(root); limit > 0) {
    consider(left, (limit + swap) / processes - resident, "the cgroup's limit");
  }
  consider_ulimit(left, RLIMIT_AS, figure(status, "VmSize"), "ulimit -v");
  consider_ulimit(left, RLIMIT_DATA, figure(status, "VmData"), "ulimit -d");
  const std::int64_t available = figure(meminfo, "MemAvailable") / processes;
  left.available = available > 0 ? std::min(available, left.bytes) : left.bytes;
  return left;
}

}  // namespace glassformer
