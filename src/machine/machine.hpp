#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "glassformer/machine/processes.hpp"

namespace glassformer {

/// The physical memory that this process uses, in bytes, and its peak so far. 0: unknown.
struct ResidentMemory {
  std::int64_t now = 0, peak = 0;
};
ResidentMemory resident_memory();

/// Asks the kernel to keep all large matrices allocated from now on in pages of 2 MiB, which makes training about an
/// eighth faster.
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

/// Restarts the program if the variable GLASSFORMER_INSTRUCTIONS asks for slower instructions than the core uses, such
/// as avx2 on a processor with AVX-512. `arguments` are those of main. \throws UserError: it asks for anything else
void choose_instructions(char** arguments);

std::filesystem::path program_file();  ///< the running program's; empty if unknown

/// \throws UserError: OMP_NUM_THREADS asks for more threads than any machine can usefully run. (The system would
///         refuse to start them, and OpenMP would end the program.)
void check_thread_count();

std::string host_name();  ///< from gethostname

/// The machines and processors that the ranks run on.
struct RankPlaces {
  int machines = 1;
  int here = 1;        ///< ranks on this machine
  int sharing = 1;     ///< how many of these may use the same processors as this rank, itself included
  int processors = 1;  ///< those of this machine that any of its ranks may run on
};
/// Every rank must call it.
RankPlaces rank_places(const Processes& ranks);

/// Divides this machine's processors among `processes` processes, unless the user has set OMP_NUM_THREADS.
void share_processors(int processes);

// The rest is the only interface to MPI. A program not started by mpirun or srun never initialises MPI.

int announced_processes();  ///< how many processes mpirun or srun started; 1: only this one

/// Joins the processes that mpirun or srun started together with this one, if any. Call the functions of the returned
/// ranks from this thread only. MPI ends when they are destroyed.
/// \throws UserError: this program was built without MPI, or with an MPI other than mpirun's
std::unique_ptr<const Processes> join_ranks();

/// The prefix of a message, "rank 3 on HOST: "; empty on the first rank, and without MPI. Allocates no memory.
const std::string& message_prefix();

/// Call it at the end of main: if an exception made this process leave the other ranks, ends them too.
void end_ranks(int status);

}  // namespace glassformer
