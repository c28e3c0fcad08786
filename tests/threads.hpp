#pragma once

#include <omp.h>

namespace glassformer {

/// During its lifetime, run_tasks uses `count` threads when called from this thread.
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
