#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace glassformer {

/// The physical memory that this process uses, in bytes, and its peak so far. 0: unknown.
struct ResidentMemory {
  std::int64_t now = 0, peak = 0;
};
ResidentMemory resident_memory();

/// From now on, matrices are allocated in pages of 2 MiB, if the kernel has any.
void use_huge_pages();

/// How much more memory a process can get.
struct MemoryLeft {
  std::int64_t bytes = 0;      ///< at most, swap included; 0: unknown
  std::int64_t available = 0;  ///< without taking any from other programs; at most `bytes`; 0: unknown
  std::string limit;           ///< what limits it: "the machine's memory", "the cgroup's limit", "ulimit -v" ...
};
/// The smallest of what RAM, cgroups (version 2) and ulimit leave this process, if `processes` processes share RAM and
/// cgroup. `root` contains proc and sys; tests pass another one.
MemoryLeft memory_left(int processes = 1, const std::filesystem::path& root = "/");

}  // namespace glassformer
