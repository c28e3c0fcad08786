#include "machine/machine.hpp"

#include <omp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string_view>

#include "files/user_error.hpp"
#include "files/utf8.hpp"
#include "numerics/gemm.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// Returns the value of a line "NAME:   123 kB" in a file of /proc, in bytes; 0 if there is no such line.
std::int64_t figure(const fs::path& file, const std::string& name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    std::int64_t amount = 0;
    if (words >> first >> amount && first == name + ":") return amount * 1024;
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
    if (std::ifstream(path / "memory.max") >> bytes && bytes > 0 && (smallest == 0 || bytes < smallest))
      smallest = bytes;
    if (path == mounted || path == path.parent_path()) return smallest;
  }
}

void consider_ulimit(MemoryLeft& left, int resource, std::int64_t used, const std::string& name) {
  rlimit limit{};
  if (getrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  constexpr rlim_t kMost = std::numeric_limits<std::int64_t>::max();
  consider(left, static_cast<std::int64_t>(std::min(limit.rlim_cur, kMost)) - used, name);
}

using Processors = std::bitset<1024>;  // by number

/// The processors this process may run on. None: unknown.
Processors allowed_processors() {
  Processors allowed;
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return {};
  for (std::size_t i = 0; i < allowed.size(); ++i) allowed[i] = CPU_ISSET(i, &set);
#endif
  return allowed;
}

}  // namespace

void use_huge_pages() {
#ifdef MADV_HUGEPAGE
  prepare_large_memory = [](void* memory, std::size_t bytes) { madvise(memory, bytes, MADV_HUGEPAGE); };
#endif
}

void choose_instructions(char** arguments) {
  const char* const wanted = std::getenv("GLASSFORMER_INSTRUCTIONS");
  if (wanted == nullptr || *wanted == 0 || wanted == instructions()) return;
  // glibc's loader takes the core for AVX2 if this setting hides AVX-512.
  const std::string setting = "glibc.cpu.hwcaps=-AVX512F";
  const char* const before = std::getenv("GLIBC_TUNABLES");
  const std::string tunables = before != nullptr ? before + (":" + setting) : setting;
  if (wanted == std::string_view("avx2") && instructions() == "avx512" &&
      tunables.find(setting) + setting.size() == tunables.size()) {
    setenv("GLIBC_TUNABLES", tunables.c_str(), 1);
    execv("/proc/self/exe", arguments);
  }
  throw UserError("GLASSFORMER_INSTRUCTIONS: expected " + instructions() +
                  (instructions() == "avx512" ? " or avx2" : "") +
                  ", which this processor and this program have, found " + visible(wanted));
}

ResidentMemory resident_memory() {
  // getrusage's peak would include the memory of a parent process.
  return {figure("/proc/self/status", "VmRSS"), figure("/proc/self/status", "VmHWM")};
}

MemoryLeft memory_left(int processes, const fs::path& root) {
  const fs::path meminfo = root / "proc/meminfo", status = root / "proc/self/status";
  const std::int64_t swap = figure(meminfo, "SwapTotal");
  const std::int64_t resident = figure(status, "RssAnon");  // mapped files do not count: the system can drop them
  MemoryLeft left;
  if (const std::int64_t ram = figure(meminfo, "MemTotal"); ram > 0)
    consider(left, (ram + swap) / processes - resident, "the machine's memory");
  if (const std::int64_t limit = cgroup_limit(root); limit > 0)
    consider(left, (limit + swap) / processes - resident, "the cgroup's limit");
  consider_ulimit(left, RLIMIT_AS, figure(status, "VmSize"), "ulimit -v");
  consider_ulimit(left, RLIMIT_DATA, figure(status, "VmData"), "ulimit -d");
  const std::int64_t available = figure(meminfo, "MemAvailable") / processes;
  left.available = available > 0 ? std::min(available, left.bytes) : left.bytes;
  return left;
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

RankPlaces rank_places(const Ranks& ranks) {
  struct Place {
    std::array<char, 256> host{};
    Processors allowed;
  };
  std::vector<Place> places(static_cast<std::size_t>(ranks.size()));
  Place& mine = places[static_cast<std::size_t>(ranks.rank())];
  mine.allowed = allowed_processors();
  host_name().copy(mine.host.data(), mine.host.size() - 1);
  ranks.gather(std::span(places));

  std::set<std::string_view> hosts;
  Processors any;
  RankPlaces found{.machines = 0, .here = 0, .sharing = 0};
  for (const Place& place : places) {
    hosts.insert(place.host.data());
    if (place.host != mine.host) continue;
    ++found.here;
    any |= place.allowed;
    found.sharing += mine.allowed.none() || (place.allowed & mine.allowed).any();
  }
  found.machines = static_cast<int>(hosts.size());
  found.processors = any.none() ? omp_get_num_procs() : static_cast<int>(any.count());
  return found;
}

void share_processors(int processes) {
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return;
  omp_set_num_threads(std::max(1, omp_get_num_procs() / processes));
}

}  // namespace glassformer
