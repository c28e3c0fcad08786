#pragma once

#include <string>

#include "program/program.hpp"

/// Helpers for tests that start the program as several ranks.
namespace glassformer::program_test {

/// Warns and returns false if the test cannot start several processes.
inline bool can_start_ranks() {
  const bool there = fs::exists(GLASSFORMER_MPIRUN);
  if (!there) {
    WARN("SKIPPED: this build has no MPI, or mpirun is missing (Debian: libopenmpi-dev, openmpi-bin)");
  }
  return there;
}

/// The start of a shell command with mpirun. Lets Open MPI run more processes than processors, as any user, not bound
/// to processors. Leaks are not checked, because MPI's leaks are not ours. Ranks that wait for each other forever are
/// stopped after five minutes.
inline std::string mpirun() {
  return "MPIEXEC_TIMEOUT=300 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
         "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none "
         "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none "
         "OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0:$ASAN_OPTIONS '" GLASSFORMER_MPIRUN "' ";
}

}  // namespace glassformer::program_test
