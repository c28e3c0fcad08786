// For Linux; posix.cpp does the same for other systems.
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "glassformer/machine/memory.hpp"
#include "glassformer/machine/program.hpp"
#include "glassformer/machine/system.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// Returns the value of a line "NAME:   123 kB" in a file of /proc, in bytes; 0 if there is no such line.
std::int64_t value_of(const fs::path& file, const std::string& name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    std::int64_t amount = 0;
    if (words >> first >> amount && first == name + ":") {
      return amount * 1024;
    }
  }
  return 0;
}

/// The smallest limit of this process's cgroup and its ancestors; 0: none. In a container, the path may exist only on
/// the host; the container's own limit is at sys/fs/cgroup.
std::int64_t cgroup_limit(const fs::path& root) {
  const fs::path mounted = root / "sys/fs/cgroup";
  std::string line;
  std::ifstream(root / "proc/self/cgroup") >> line;  // "0::/outer/inner"
  const std::size_t colon = line.rfind(':');
  const fs::path cgroup = colon == std::string::npos ? "" : line.substr(colon + 1);
  std::int64_t smallest = 0;
  for (fs::path path = mounted / cgroup.relative_path();; path = path.parent_path()) {
    std::int64_t bytes = 0;  // without a limit, the file contains "max"
    if (std::ifstream(path / "memory.max") >> bytes && bytes > 0 && (smallest == 0 || bytes < smallest)) {
      smallest = bytes;
    }
    if (path == mounted || path == path.parent_path()) {
      return smallest;
    }
  }
}

/// Keeps the smallest limit seen.
void consider(MemoryLeft& left, std::int64_t bytes, const std::string& limit) {
  bytes = std::max<std::int64_t>(1, bytes);  // 0 means unknown
  if (left.bytes == 0 || bytes < left.bytes) {
    left.bytes = bytes;
    left.limit = limit;
  }
}

/// Lowers `left` to what a limit of getrlimit leaves; `used` bytes of it are in use.
void consider_ulimit(MemoryLeft& left, decltype(RLIMIT_AS) resource, std::int64_t used, const std::string& name) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return;
  }
  constexpr rlim_t kMost = std::numeric_limits<std::int64_t>::max();
  consider(left, static_cast<std::int64_t>(std::min(limit.rlim_cur, kMost)) - used, name);
}

}  // namespace

void ask_for_huge_pages(void* memory, std::size_t bytes) { madvise(memory, bytes, MADV_HUGEPAGE); }

ResidentMemory resident_memory() {
  // getrusage's peak would include the memory of a parent process.
  return {value_of("/proc/self/status", "VmRSS"), value_of("/proc/self/status", "VmHWM")};
}

MemoryLeft memory_left(int processes, const fs::path& root) {
  const fs::path meminfo = root / "proc/meminfo";
  const fs::path status = root / "proc/self/status";
  const std::int64_t swap = value_of(meminfo, "SwapTotal");
  const std::int64_t resident = value_of(status, "RssAnon");  // mapped files do not count: the system can drop them
  MemoryLeft left;
  if (const std::int64_t ram = value_of(meminfo, "MemTotal"); ram > 0) {
    consider(left, (ram + swap) / processes - resident, "the machine's memory");
  }
  if (const std::int64_t limit = cgroup_limit(root); limit > 0) {
    consider(left, (limit + swap) / processes - resident, "the cgroup's limit");
  }
  consider_ulimit(left, RLIMIT_AS, value_of(status, "VmSize"), "ulimit -v");
  consider_ulimit(left, RLIMIT_DATA, value_of(status, "VmData"), "ulimit -d");
  const std::int64_t available = value_of(meminfo, "MemAvailable") / processes;
  left.available = available > 0 ? std::min(available, left.bytes) : left.bytes;
  return left;
}

Processors allowed_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) {
    return {};
  }
  Processors allowed;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    allowed[i] = CPU_ISSET(i, &set);
  }
  return allowed;
}

fs::path program_file() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

void restart_without_avx512(char** arguments) {
  // glibc's loader takes the core for AVX2 if this setting hides AVX-512.
  const std::string setting = "glibc.cpu.hwcaps=-AVX512F";
  const char* const before = std::getenv("GLIBC_TUNABLES");
  const std::string tunables = before != nullptr ? before + (":" + setting) : setting;
  if (tunables.find(setting) + setting.size() < tunables.size()) {
    return;  // already set, but to no effect
  }
  setenv("GLIBC_TUNABLES", tunables.c_str(), 1);
  execv(program_file().c_str(), arguments);
}

}  // namespace glassformer
