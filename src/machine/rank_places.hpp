#pragma once

#include <string>

#include "glassformer/machine/processes.hpp"

namespace glassformer {

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

}  // namespace glassformer
