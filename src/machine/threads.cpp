#include "glassformer/machine/threads.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "glassformer/files/user_error.hpp"

namespace glassformer {

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

void share_processors(int processes) {
  if (std::getenv("OMP_NUM_THREADS") != nullptr) {
    return;
  }
  omp_set_num_threads(std::max(1, omp_get_num_procs() / processes));
}

}  // namespace glassformer
