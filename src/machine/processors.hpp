#pragma once

#include <string>

#include "numerics/ranks.hpp"

namespace glassformer {

/// The name of this machine.
std::string host_name();

/// How many processors the machine has, whether this process may use them or not.
int processor_count();

/// Where the ranks of a training run.
struct RankPlaces {
  int machines = 1;
  int here = 1;        ///< ranks on this machine
  int sharing = 1;     ///< those of them that may run on the same processors as this one, itself included
  int processors = 1;  ///< of this machine, on which any of its ranks may run
};
/// Every rank must call it.
RankPlaces rank_places(const Ranks& ranks);

/// Divides the processors of a machine among so many processes, unless the user has said how many threads each gets
/// (OMP_NUM_THREADS).
void share_processors(int processes);

}  // namespace glassformer
