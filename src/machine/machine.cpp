#include "glassformer/machine/machine.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string_view>

#include "glassformer/files/user_error.hpp"
#include "glassformer/files/utf8.hpp"
#include "glassformer/machine/system.hpp"
#include "glassformer/numerics/gemm.hpp"

namespace glassformer {

void choose_instructions(char** arguments) {
  const char* const wanted = std::getenv("GLASSFORMER_INSTRUCTIONS");
  if (wanted == nullptr || *wanted == 0 || wanted == instructions()) {
    return;
  }
  const bool avx2_instead = wanted == std::string_view("avx2") && instructions() == "avx512";
  if (avx2_instead) {
    restart_without_avx512(arguments);
  }
  throw UserError("GLASSFORMER_INSTRUCTIONS: expected " + instructions() +
                  (instructions() == "avx512" && !avx2_instead ? " or avx2" : "") +
                  " (what this build supports on this processor), found " + visible(wanted) + "; unset it");
}

void check_thread_count() {
  constexpr int kMostThreads = 1024;
  const int threads = omp_get_max_threads();
  if (threads <= std::max(kMostThreads, omp_get_num_procs())) {
    return;
  }
  throw UserError("OMP_NUM_THREADS: expected at most " + std::to_string(kMostThreads) + ", found " +
                  std::to_string(threads) + "; this machine has " + std::to_string(omp_get_num_procs()) +
                  " processors");
}

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

void share_processors(int processes) {
  if (std::getenv("OMP_NUM_THREADS") != nullptr) {
    return;
  }
  omp_set_num_threads(std::max(1, omp_get_num_procs() / processes));
}

}  // namespace glassformer
