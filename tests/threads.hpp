#pragma once

#include <omp.h>

namespace glassformer {

/// While it lives, run_tasks started from this thread uses `count` threads.
class WithThreads {
 public:
  explicit WithThreads(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~WithThreads() { omp_set_num_threads(before_); }
  WithThreads(const WithThreads&) = delete;
  WithThreads& operator=(const WithThreads&) = delete;

 private:
  int before_;
};

}  // namespace glassformer
