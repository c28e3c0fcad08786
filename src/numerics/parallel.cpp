#include "numerics/parallel.hpp"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <vector>

namespace glassformer {
namespace {

constexpr Index kRange = Index{1} << 14;  // numbers; small enough to balance, large enough to be worth a thread

}  // namespace

void run_tasks(Index count, const std::function<void(Index)>& task) {
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(count));
#pragma omp parallel for schedule(dynamic, 1)
  for (Index i = 0; i < count; ++i) {
    try {
      task(i);
    } catch (...) {  // an exception must not leave an OpenMP loop
      thrown[static_cast<std::size_t>(i)] = std::current_exception();
    }
  }
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
}

void run_ranges(Index size, const std::function<void(Index, Index)>& range) {
  run_tasks((size + kRange - 1) / kRange,
            [&](Index i) { range(i * kRange, std::min(size, (i + 1) * kRange)); });
}

double sum_ranges(Index size, const std::function<double(Index, Index)>& part) {
  std::vector<double> sums(static_cast<std::size_t>((size + kRange - 1) / kRange));
  run_ranges(size, [&](Index begin, Index end) { sums[static_cast<std::size_t>(begin / kRange)] = part(begin, end); });
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum;
}

int thread_count() { return omp_get_max_threads(); }

}  // namespace glassformer
