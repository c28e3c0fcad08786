#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "numerics/matrix.hpp"

/// The only place with OpenMP pragmas. Nothing here changes a result: who runs a task does not matter to it, and
/// how work is cut depends on its size alone, never on the number of threads.
namespace glassformer {

/// Runs task(0) .. task(count - 1), each as a whole on one thread, several side by side. An exception thrown by a
/// task is thrown again here once all tasks have ended (the one of the lowest number).
void run_tasks(Index count, const std::function<void(Index task)>& task);

/// The same for tasks that need a workspace: each of them gets one that no other task uses meanwhile. What an
/// earlier task has left in it must not matter.
template <class Workspace>
void run_tasks_with(Index count, const std::function<void(Index task, Workspace& workspace)>& task) {
  std::mutex mutex;
  std::vector<std::unique_ptr<Workspace>> idle;
  run_tasks(count, [&](Index i) {
    std::unique_ptr<Workspace> workspace;
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        workspace = std::move(idle.back());
        idle.pop_back();
      }
    }
    if (!workspace) workspace = std::make_unique<Workspace>();
    task(i, *workspace);
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(workspace));
  });
}

/// Cuts [0, size) into ranges of a fixed length and runs range(begin, end) for each of them.
void run_ranges(Index size, const std::function<void(Index begin, Index end)>& range);

/// Sums what part(begin, end) gives for the ranges of [0, size), in their order.
double sum_ranges(Index size, const std::function<double(Index begin, Index end)>& part);

/// How many threads run_tasks uses: OMP_NUM_THREADS, or as many as the machine has processors.
int thread_count();

}  // namespace glassformer
