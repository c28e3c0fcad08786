#include "glassformer/machine/rank_places.hpp"

#include <omp.h>
#include <unistd.h>

#include <array>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "glassformer/machine/system.hpp"

namespace glassformer {

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

RankPlaces rank_places(const Processes& ranks) {
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
    if (place.host != mine.host) {
      continue;
    }
    ++found.here;
    any |= place.allowed;
    found.sharing += mine.allowed.none() || (place.allowed & mine.allowed).any();
  }
  found.machines = static_cast<int>(hosts.size());
  found.processors = any.none() ? omp_get_num_procs() : static_cast<int>(any.count());
  return found;
}

}  // namespace glassformer
