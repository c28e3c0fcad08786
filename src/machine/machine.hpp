#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "numerics/ranks.hpp"

namespace glassformer {

/// How much physical memory this process uses, in bytes, and the most so far. 0: the system does not say.
struct ResidentMemory {
  std::int64_t now = 0, peak = 0;
};
ResidentMemory resident_memory();

/// From now on the kernel is asked to keep large matrices in pages of 2 MiB, which makes training about an eighth
/// faster.
void use_huge_pages();

/// How much more memory a process can get.
struct MemoryLeft {
  std::int64_t bytes = 0;      ///< at most, swap included; 0: unknown
  std::int64_t available = 0;  ///< before other programs have to give way; at most `bytes`; 0: unknown
  std::string limit;           ///< what limits it: "the machine's memory", "the cgroup's limit", "ulimit -v" ...
};
/// The smallest of what RAM, cgroups (version 2) and ulimit leave to this process, if so many `processes` share RAM and
/// cgroup. `root` has proc and sys; another one in tests.
MemoryLeft memory_left(int processes = 1, const std::filesystem::path& root = "/");

std::string host_name();  ///< as gethostname says
int processor_count();    ///< of the machine, whether this process may use them or not

/// Where the ranks of a training run.
struct RankPlaces {
  int machines = 1;
  int here = 1;        ///< ranks on this machine
  int sharing = 1;     ///< those of them that may run on the same processors as this one, itself included
  int processors = 1;  ///< of this machine, on which any of its ranks may run
};
/// Every rank must call it.
RankPlaces rank_places(const Ranks& ranks);

/// Divides the processors of a machine among so many processes, unless the user has set OMP_NUM_THREADS.
void share_processors(int processes);

// Below: the only interface to MPI. A program that was not started by mpirun or srun never initialises it.

/// Joins the processes that mpirun or srun has started together with this one; alone if there are none. Call the ranks'
/// functions from this thread only. MPI ends with the ranks.
/// \throws UserError: this program was built without MPI, or with another MPI than mpirun's
std::unique_ptr<const Ranks> join_ranks();

/// "rank 3 on HOST: ", to begin a message; empty on the first rank, and alone.
std::string speaker();

/// To be called at the end of main: if an exception has made this process leave the other ranks, ends them too.
void end_ranks(int status);

}  // namespace glassformer
