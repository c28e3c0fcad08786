#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/numerics/parallel.hpp"
#include "random_values.hpp"
#include "threads.hpp"

using namespace glassformer;

TEST_CASE("Every task runs exactly once, with any number of threads", "[numerics][threads]") {
  for (const int threads : {1, 2, 5}) {
    const WithThreads with(threads);
    CHECK(thread_count() == threads);
    for (const Index count : {0, 1, 7, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
      run_tasks(count, [&](Index i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const auto& number : runs) {
        REQUIRE(number == 1);
      }
    }
  }
}

TEST_CASE("Tasks do run on several threads", "[numerics][threads]") {
  const WithThreads with(2);
  // Each of two tasks waits for the other to begin, but not forever.
  std::atomic<int> begun = 0;
  std::atomic<int> met = 0;
  run_tasks(2, [&](Index) {
    ++begun;
    for (int patience = 1'000'000; begun < 2 && patience > 0; --patience) {
      std::this_thread::yield();
    }
    if (begun == 2) {
      ++met;
    }
  });
  CHECK(met == 2);
}

TEST_CASE("If several tasks throw, the exception of the lowest-numbered one is rethrown after all tasks have ended",
          "[numerics][threads]") {
  for (const int threads : {1, 2, 5}) {
    const WithThreads with(threads);
    std::atomic<int> ended = 0;
    std::string message;
    try {
      run_tasks(50, [&](Index i) {
        ++ended;
        if (i == 41) {
          throw std::runtime_error("task 41");
        }
        if (i == 7) {
          throw UserError("task 7");
        }
        if (i == 23) {
          throw 23;
        }
      });
    } catch (const UserError& error) {  // the type is kept
      message = error.what();
    }
    CHECK(message == "task 7");
    CHECK(ended == 50);
  }
}

TEST_CASE("After an exception, tasks run as before", "[numerics][threads]") {
  const WithThreads with(2);
  CHECK_THROWS_AS(run_tasks(4, [](Index) { throw std::runtime_error("no"); }), std::runtime_error);
  std::atomic<int> runs = 0;
  run_tasks(4, [&](Index) { ++runs; });
  CHECK(runs == 4);
}

TEST_CASE("Tasks can run tasks", "[numerics][threads]") {
  const WithThreads with(2);
  std::atomic<int> runs = 0;
  run_tasks(3, [&](Index) { run_tasks(5, [&](Index) { ++runs; }); });
  CHECK(runs == 15);
}

TEST_CASE("Ranges cover every index once and are the same for any number of threads", "[numerics][threads]") {
  for (const Index size : {0, 1, 16384, 16385, 100'000}) {
    std::vector<std::vector<Index>> cuts;
    for (const int threads : {1, 2, 5}) {
      const WithThreads with(threads);
      std::vector<char> visits(static_cast<std::size_t>(size));
      std::vector<Index> begins(static_cast<std::size_t>(size));  // of the range that each index is in
      run_ranges(size, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          ++visits[static_cast<std::size_t>(i)];
          begins[static_cast<std::size_t>(i)] = begin;
        }
      });
      for (const char visit : visits) {
        REQUIRE(visit == 1);
      }
      cuts.push_back(begins);
    }
    CHECK(cuts[0] == cuts[1]);
    CHECK(cuts[0] == cuts[2]);
  }
}

TEST_CASE("A sum over ranges has the same bits for any number of threads", "[numerics][threads]") {
  RandomValues random(1);
  std::vector<double> numbers(200'000);
  for (double& x : numbers) {
    x = random.number() * std::exp(10 * random.number());  // their sum depends on the order
  }

  const auto sum_of = [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
      sum += numbers[static_cast<std::size_t>(i)];
    }
    return sum;
  };
  // The sums of the ranges, in the order of the ranges.
  std::vector<std::pair<Index, double>> parts;
  {
    const WithThreads one(1);
    run_ranges(200'000, [&](Index begin, Index end) { parts.emplace_back(begin, sum_of(begin, end)); });
  }
  REQUIRE(parts.size() > 5);
  REQUIRE(std::is_sorted(parts.begin(), parts.end()));
  double expected = 0;
  double backwards = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    expected += parts[i].second;
    backwards += parts[parts.size() - 1 - i].second;
  }
  REQUIRE(expected != backwards);

  for (const int threads : {1, 2, 5}) {
    const WithThreads with(threads);
    for (int repetition = 0; repetition < 5; ++repetition) {
      CHECK(sum_ranges(200'000, sum_of) == expected);
    }
  }
  CHECK(sum_ranges(0, sum_of) == 0);
}

TEST_CASE("A task has its workspace to itself, and there are no more workspaces than threads", "[numerics][threads]") {
  for (const int threads : {1, 2, 5}) {
    const WithThreads with(threads);
    struct Workspace {
      int number;
      std::atomic<bool> in_use = false;
    };
    std::atomic<int> made = 0;
    Workspaces<Workspace> workspaces([&] { return std::unique_ptr<Workspace>(new Workspace{made++}); });
    CHECK(made == 0);  // none before the first task
    std::atomic<int> runs = 0;
    std::atomic<int> shared = 0;
    for (int repetition = 0; repetition < 3; ++repetition) {  // workspaces are kept from one call to the next
      run_tasks_with(workspaces, 50, [&](Index, Workspace& workspace) {
        if (workspace.in_use.exchange(true)) {
          ++shared;
        }
        std::this_thread::yield();
        ++runs;
        workspace.in_use = false;
      });
    }
    CHECK(runs == 150);
    CHECK(shared == 0);
    CHECK(made >= 1);
    CHECK(made <= threads);
  }
}

TEST_CASE("A workspace keeps what earlier tasks left in it", "[numerics]") {
  Workspaces<std::vector<int>> workspaces([] { return std::make_unique<std::vector<int>>(1, 7); });
  const WithThreads one(1);
  std::vector<std::size_t> sizes;
  run_tasks_with(workspaces, 3, [&](Index, std::vector<int>& numbers) {
    CHECK(numbers.front() == 7);
    sizes.push_back(numbers.size());
    numbers.push_back(0);
  });
  CHECK(sizes == std::vector<std::size_t>{1, 2, 3});

  auto first = workspaces.take();
  auto second = workspaces.take();
  CHECK(first->size() == 4);
  CHECK(second->size() == 1);
  const std::vector<int>* const address = first.get();
  workspaces.give_back(std::move(first));
  CHECK(workspaces.take().get() == address);
}

TEST_CASE("A FunctionRef calls what it refers to, passing arguments and the result", "[numerics]") {
  int calls = 0;
  const auto counted = [&calls](int a, double b) {
    ++calls;
    return a * b;
  };
  const FunctionRef<double, int, double> reference = counted;
  const FunctionRef<double, int, double> copy = reference;
  CHECK(reference(2, 1.5) == 3);
  CHECK(copy(4, 0.25) == 1);
  CHECK(calls == 2);
  const FunctionRef<void, int, double> without_result = counted;
  without_result(1, 1);
  CHECK(calls == 3);
}
