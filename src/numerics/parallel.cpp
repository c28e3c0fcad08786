#include "glassformer/numerics/parallel.hpp"

#include <algorithm>
#include <exception>

#ifdef _OPENMP
#include <omp.h>

#include <mutex>
#endif

namespace glassformer {
namespace {

constexpr Index kRange = Index{1} << 14;  // numbers: few enough to balance the load, enough to be worth a task

#ifdef __cpp_exceptions
/// Keeps the exception of the lowest-numbered task that throws: an exception must not leave an OpenMP loop.
class FirstException {
 public:
  void run(FunctionRef<void, Index> task, Index i) {
    try {
      task(i);
    } catch (...) {
#pragma omp critical(glassformer_exception)
      if (!thrown_ || i < thrown_by_) {
        thrown_ = std::current_exception();
        thrown_by_ = i;
      }
    }
  }
  void rethrow() const {
    if (thrown_) {
      std::rethrow_exception(thrown_);
    }
  }

 private:
  std::exception_ptr thrown_;
  Index thrown_by_ = 0;
};
#else
class FirstException {
 public:
  static void run(FunctionRef<void, Index> task, Index i) { task(i); }
  static void rethrow() {}
};
#endif

}  // namespace

void run_tasks(Index count, FunctionRef<void, Index> task) {
  FirstException first;
  const auto run = [&](Index i) { first.run(task, i); };
  if (thread_count() == 1) {  // without OpenMP, which would allocate memory for a team of one
    for (Index i = 0; i < count; ++i) {
      run(i);
    }
  } else {
#pragma omp parallel for schedule(dynamic, 1)
    for (Index i = 0; i < count; ++i) {
      run(i);
    }
  }
  first.rethrow();
}

void run_alone(FunctionRef<void> action) {
#ifdef _OPENMP
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
#endif
  action();
}

void run_ranges(Index size, FunctionRef<void, Index, Index> range) {
  run_tasks((size + kRange - 1) / kRange, [&](Index i) { range(i * kRange, std::min(size, (i + 1) * kRange)); });
}

double sum_ranges(Index size, FunctionRef<double, Index, Index> part) {
  thread_local std::vector<double> sums;  // keeps its memory between calls
  sums.resize(static_cast<std::size_t>((size + kRange - 1) / kRange));
  std::vector<double>& partial = sums;  // a task on another thread would see its own thread's `sums`
  run_ranges(size,
             [&](Index begin, Index end) { partial[static_cast<std::size_t>(begin / kRange)] = part(begin, end); });
  double sum = 0;
  for (const double s : partial) {
    sum += s;
  }
  return sum;
}

int thread_count() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

}  // namespace glassformer
