#pragma once

#include <functional>

#include "numerics/matrix.hpp"

/// The only place with OpenMP pragmas. Nothing here changes a result: who runs a task does not matter to it, and
/// how work is cut depends on its size alone, never on the number of threads.
namespace glassformer {

/// Runs task(0) .. task(count - 1), each as a whole on one thread, several side by side. An exception thrown by a
/// task is thrown again here once all tasks have ended (the one of the lowest number).
void run_tasks(Index count, const std::function<void(Index task)>& task);

/// Cuts [0, size) into ranges of a fixed length and runs range(begin, end) for each of them.
void run_ranges(Index size, const std::function<void(Index begin, Index end)>& range);

/// Sums what part(begin, end) gives for the ranges of [0, size), in their order.
double sum_ranges(Index size, const std::function<double(Index begin, Index end)>& part);

/// How many threads run_tasks uses: OMP_NUM_THREADS, or as many as the machine has processors.
int thread_count();

}  // namespace glassformer
