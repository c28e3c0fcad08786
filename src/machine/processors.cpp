#include "machine/processors.hpp"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdlib>
#include <set>
#include <string_view>
#include <vector>

namespace glassformer {
namespace {

using Processors = std::bitset<1024>;  // by number

/// On which this process may run. None: the system does not say.
Processors allowed_processors() {
  Processors allowed;
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return {};
  for (std::size_t i = 0; i < allowed.size(); ++i) allowed[i] = CPU_ISSET(i, &set);
#endif
  return allowed;
}

struct Place {
  std::array<char, 256> host{};
  Processors allowed;
};

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

int processor_count() { return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))); }

RankPlaces rank_places(const Ranks& ranks) {
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
  found.processors = any.none() ? processor_count() : static_cast<int>(any.count());
  return found;
}

void share_processors(int processes) {
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return;
  omp_set_num_threads(std::max(1, omp_get_num_procs() / processes));
}

}  // namespace glassformer
