#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "glassformer/numerics/index.hpp"

/// Only parallel.cpp has OpenMP pragmas. Threads never change a result: a task does not depend on which thread runs it,
/// and how work is split depends only on its size, never on the number of threads.
namespace glassformer {

/// A reference to a callable object, which must outlive it. Unlike std::function, it never allocates memory.
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

/// Runs task(0) .. task(count - 1) in parallel, each entirely on one thread. If tasks throw, the exception of the
/// lowest-numbered task is rethrown once all tasks have ended.
void run_tasks(Index count, FunctionRef<void, Index> task);

/// Runs an action while no other thread runs one. The action must not call run_alone itself.
void run_alone(FunctionRef<void> action);

/// Objects that tasks work with, such as a transformer with its buffers. Only one task uses an object at a time, but
/// later tasks use it again, so a task must not depend on its contents. A new one is made only if all are in use.
template <class Workspace>
class Workspaces {
 public:
  explicit Workspaces(std::function<std::unique_ptr<Workspace>()> make) : make_(std::move(make)) {}

  std::unique_ptr<Workspace> take() {
    std::unique_ptr<Workspace> workspace;
    run_alone([&] {
      if (idle_.empty()) {
        workspace = make_();
      } else {
        workspace = std::move(idle_.back());
        idle_.pop_back();
      }
    });
    return workspace;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    run_alone([&] { idle_.push_back(std::move(workspace)); });
  }

 private:
  std::function<std::unique_ptr<Workspace>()> make_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

/// Like run_tasks, with a workspace for each task: task(i, workspace).
template <class Workspace>
void run_tasks_with(Workspaces<Workspace>& workspaces, Index count, const auto& task) {
  run_tasks(count, [&](Index i) {
    std::unique_ptr<Workspace> workspace = workspaces.take();
    task(i, *workspace);
    workspaces.give_back(std::move(workspace));
  });
}

/// Splits [0, size) into ranges of a fixed length and runs range(begin, end) for each of them, in parallel.
void run_ranges(Index size, FunctionRef<void, Index, Index> range);

/// Sums part(begin, end) over the same ranges of [0, size), in their order.
double sum_ranges(Index size, FunctionRef<double, Index, Index> part);

/// How many threads run_tasks uses: OMP_NUM_THREADS or, if unset, one per processor. Without OpenMP, one.
int thread_count();

}  // namespace glassformer
