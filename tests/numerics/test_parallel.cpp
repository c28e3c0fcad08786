#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "numerics/parallel.hpp"
#include "random_values.hpp"
#include "threads.hpp"
#include "user_error.hpp"

using namespace glassformer;

TEST_CASE("Every task is run once, whatever the number of threads", "[numerics][threads]") {
  for (const int threads : {1, 2, 5}) {
    const WithThreads with(threads);
    CHECK(thread_count() == threads);
    for (const Index count : {0, 1, 7, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
      run_tasks(count, [&](Index i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const auto& number : runs) REQUIRE(number == 1);
    }
  }
}

TEST_CASE("Tasks do run on several threads", "[numerics][threads]") {
  const WithThreads with(2);
  // Each of two tasks waits for the other to begin, though not for ever.
  std::atomic<int> begun = 0, met = 0;
  run_tasks(2, [&](Index) {
    ++begun;
    for (int patience = 1'000'000; begun < 2 && patience > 0; --patience) std::this_thread::yield();
    if (begun == 2) ++met;
  });
  CHECK(met == 2);
}

TEST_CASE("Of the exceptions of several tasks, the one of the lowest number comes out, after all tasks have ended",
          "[numerics][threads]") {
  for (const int threads : {1, 2, 5}) {
    const WithThreads with(threads);
    std::atomic<int> ended = 0;
    std::string message;
    try {
      run_tasks(50, [&](Index i) {
        ++ended;
        if (i == 41) throw std::runtime_error("task 41");
        if (i == 7) throw UserError("task 7");
        if (i == 23) throw 23;
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

TEST_CASE("Tasks may run tasks", "[numerics][threads]") {
  const WithThreads with(2);
  std::atomic<int> runs = 0;
  run_tasks(3, [&](Index) { run_tasks(5, [&](Index) { ++runs; }); });
  CHECK(runs == 15);
}

TEST_CASE("Ranges cover every number once and are cut alike for any number of threads", "[numerics][threads]") {
  for (const Index size : {0, 1, 16384, 16385, 100'000}) {
    std::vector<std::vector<Index>> cuts;
    for (const int threads : {1, 2, 5}) {
      const WithThreads with(threads);
      std::vector<char> visits(static_cast<std::size_t>(size));
      std::vector<Index> begins(static_cast<std::size_t>(size));  // of the range that each number is in
      run_ranges(size, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          ++visits[static_cast<std::size_t>(i)];
          begins[static_cast<std::size_t>(i)] = begin;
        }
      });
      for (const char visit : visits) REQUIRE(visit == 1);
      cuts.push_back(begins);
    }
    CHECK(cuts[0] == cuts[1]);
    CHECK(cuts[0] == cuts[2]);
  }
}

TEST_CASE("A sum over ranges has the same bits for any number of threads", "[numerics][threads]") {
  RandomValues random(1);
  std::vector<double> numbers(200'000);
  for (double& x : numbers) x = random.number() * std::exp(10 * random.number());  // order matters to their sum

  const auto sum_of = [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) sum += numbers[static_cast<std::size_t>(i)];
    return sum;
  };
  // The ranges' sums in the ranges' order.
  std::vector<std::pair<Index, double>> parts;
  {
    const WithThreads one(1);
    run_ranges(200'000, [&](Index begin, Index end) { parts.emplace_back(begin, sum_of(begin, end)); });
  }
  REQUIRE(parts.size() > 5);
  REQUIRE(std::is_sorted(parts.begin(), parts.end()));
  double expected = 0, backwards = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    expected += parts[i].second;
    backwards += parts[parts.size() - 1 - i].second;
  }
  REQUIRE(expected != backwards);

  for (const int threads : {1, 2, 5}) {
    const WithThreads with(threads);
    for (int repetition = 0; repetition < 5; ++repetition) CHECK(sum_ranges(200'000, sum_of) == expected);
  }
  CHECK(sum_ranges(0, sum_of) == 0);
}
