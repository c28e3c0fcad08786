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

/// A reference to something that can be called, which must outlive it. Unlike std::function, it never allocates memory.
template <class Result, class... Arguments>
class FunctionRef {
 public:
  template <class Function>
  FunctionRef(const Function& function)
      : function_(&function), call_([](const void* f, Arguments... arguments) {
          return static_cast<Result>((*static_cast<const Function*>(f))(arguments...));
        }) {}
  Result operator()(Arguments... arguments) const { return call_(function_, arguments...); }

 private:
  const void* function_;
  Result (*call_)(const void*, Arguments...);
};

/// Runs task(0) .. task(count - 1), each as a whole on one thread, several side by side. If tasks throw, the exception
/// of the lowest number is rethrown here once all tasks have ended.
void run_tasks(Index count, FunctionRef<void, Index> task);

/// Objects that tasks work with. A task in progress has one to itself; what an earlier task has left in it must not
/// matter. There are never more of them than tasks have run side by side, and they are kept, with their buffers.
template <class Workspace>
class Workspaces {
 public:
  explicit Workspaces(std::function<std::unique_ptr<Workspace>()> make) : make_(std::move(make)) {}

  std::unique_ptr<Workspace> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return make_();
    std::unique_ptr<Workspace> workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(workspace));
  }

 private:
  std::function<std::unique_ptr<Workspace>()> make_;
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
void run_ranges(Index size, FunctionRef<void, Index, Index> range);

/// Sums what part(begin, end) gives for the ranges of [0, size), in their order.
double sum_ranges(Index size, FunctionRef<double, Index, Index> part);

/// How many threads run_tasks uses: OMP_NUM_THREADS, or as many as the machine has processors; one without OpenMP.
int thread_count();

}  // namespace glassformer
