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

/// Rooms to work in, for tasks that need one. A task in progress has one to itself; what an earlier task has left in it
/// must not matter. There are never more of them than tasks have run side by side, and they are kept: buffers in them
/// stay as large as they have grown.
template <class Workspace>
class Workspaces {
 public:
  std::unique_ptr<Workspace> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Workspace>();
    std::unique_ptr<Workspace> workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

/// run_tasks, with a workspace for each task: task(number, workspace).
template <class Workspace>
void run_tasks_with(Workspaces<Workspace>& workspaces, Index count, const auto& task) {
  run_tasks(count, [&](Index i) {
    std::unique_ptr<Workspace> workspace = workspaces.take();
    task(i, *workspace);
    workspaces.give_back(std::move(workspace));
  });
}

/// Cuts [0, size) into ranges of a fixed length and runs range(begin, end) for each of them.
void run_ranges(Index size, const std::function<void(Index begin, Index end)>& range);

/// Sums what part(begin, end) gives for the ranges of [0, size), in their order.
double sum_ranges(Index size, const std::function<double(Index begin, Index end)>& part);

/// How many threads run_tasks uses: OMP_NUM_THREADS, or as many as the machine has processors.
int thread_count();

}  // namespace glassformer
