#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace glassformer {

/// How much physical memory this process uses, in bytes. 0: the system does not say.
struct ResidentMemory {
  std::int64_t now = 0;
  std::int64_t peak = 0;  ///< the most so far
};
ResidentMemory resident_memory();

/// From now on the kernel is asked to keep large matrices in pages of 2 MiB: training gets about an eighth faster. A
/// page of 4 KiB holds a tenth of a row of logits, and the processor remembers where some tens of pages are.
void use_huge_pages();

/// How much more memory a process can get.
struct MemoryLeft {
  std::int64_t bytes = 0;      ///< at most, swap included; 0: unknown
  std::int64_t available = 0;  ///< before other programs have to give way; at most `bytes`; 0: unknown
  std::string limit;           ///< what limits it: "the machine's memory", "the cgroup's limit", "ulimit -v" ...
};
/// The smallest of what RAM, cgroups (version 2) and ulimit leave to this process.
/// \param processes  like this one share RAM and cgroup
/// \param root       where proc and sys are found; another one in tests
MemoryLeft memory_left(int processes = 1, const std::filesystem::path& root = "/");

}  // namespace glassformer
