#include <omp.h>
#include <stdlib.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "captured_log.hpp"
#include "catch.hpp"
#include "fake_ranks.hpp"
#include "glassformer/files/fingerprint.hpp"
#include "glassformer/machine/rank_places.hpp"
#include "glassformer/machine/threads.hpp"
#include "glassformer/numerics/parallel.hpp"
#include "glassformer/run/rank_setup.hpp"
#include "machine/fake_places.hpp"
#include "run/toy_run.hpp"
#include "temporary_directory.hpp"
#include "threads.hpp"

using namespace glassformer;
using test::CapturedLog;
using test::complaint;
using test::contains;
using test::FakeRanks;
using test::on_another_machine;
using test::on_other_processors;

namespace {

/// Sets the variable OMP_NUM_THREADS, or none, and restores what it was. The threads stay as they were, too.
class ThreadVariable {
 public:
  explicit ThreadVariable(const char* value) {
    if (const char* const before = std::getenv(kName)) {
      before_ = before;
    }
    set(value);
  }
  ~ThreadVariable() { set(before_ ? before_->c_str() : nullptr); }
  ThreadVariable(const ThreadVariable&) = delete;
  ThreadVariable& operator=(const ThreadVariable&) = delete;

 private:
  static void set(const char* value) {
    if (value == nullptr) {
      unsetenv(kName);
    } else {
      setenv(kName, value, 1);
    }
  }
  static constexpr const char* kName = "OMP_NUM_THREADS";

  std::optional<std::string> before_;
  WithThreads threads_{omp_get_max_threads()};
};

/// The fingerprint in each item of require_same that this rank gathers.
FakeRanks::Change collect_fingerprints(std::vector<std::uint64_t>& found) {
  return [&found](int, std::span<std::byte> item) {
    if (item.size() == test::kHostBytes + sizeof(std::uint64_t)) {
      found.emplace_back();
      std::memcpy(&found.back(), item.data() + test::kHostBytes, sizeof(std::uint64_t));
    }
  };
}

}  // namespace

TEST_CASE("ranks know which of them share their machine and its processors", "[machine]") {
  const RankPlaces together = rank_places(FakeRanks(1, 3));
  CHECK(together.machines == 1);
  CHECK(together.here == 3);
  CHECK(together.sharing == 3);
  const int processors = rank_places(one_process).processors;
  CHECK(together.processors == processors);
  rank_places(FakeRanks(1, 3, [](int, std::span<std::byte> item) { CHECK(test::host_in(item) == host_name()); }));
  const RankPlaces apart = rank_places(FakeRanks(0, 5, on_another_machine(2)));
  CHECK(apart.machines == 2);
  CHECK(apart.here == 2);
  CHECK(apart.sharing == 2);
  CHECK(apart.processors == processors);
}

TEST_CASE("ranks of a machine may run on different processors, all of which are in use", "[machine][linux]") {
  const int processors = rank_places(one_process).processors;
  for (const int rank : {0, 1}) {
    const RankPlaces apart = rank_places(FakeRanks(rank, 5, on_other_processors(2)));
    CHECK(apart.machines == 1);
    CHECK(apart.here == 5);
    CHECK(apart.sharing == 2);
    CHECK(apart.processors == processors + 3);
  }
  const auto mine_and_another = [](int rank, Processors mine) { return mine | test::distant_processor(rank); };
  const RankPlaces overlapping = rank_places(FakeRanks(0, 3, test::bound_to(mine_and_another)));
  CHECK(overlapping.sharing == 3);
  CHECK(overlapping.processors == processors + 2);
}

TEST_CASE("processors are divided among processes, unless OMP_NUM_THREADS says how many threads each has",
          "[machine]") {
  const int processors = omp_get_num_procs();
  {
    const ThreadVariable none(nullptr);
    share_processors(1);
    CHECK(thread_count() == processors);
    share_processors(processors);
    CHECK(thread_count() == 1);
    share_processors(10 * processors);  // at least one each
    CHECK(thread_count() == 1);
  }
  {
    const ThreadVariable seven("7");
    omp_set_num_threads(7);
    share_processors(processors);
    CHECK(thread_count() == 7);
  }
}

TEST_CASE("each rank needs a shard", "[machine]") {
  const ThreadVariable one("1");
  const auto setup = [](int ranks, Index shards) {
    return complaint([&] {
      set_up_ranks(
          FakeRanks(0, ranks), [] { return std::uint64_t{1}; }, shards);
    });
  };
  CHECK(setup(4, 4).empty());
  CHECK(contains(setup(4, 3), "expected at least one shard for each process, found 3 shards and 4 processes"));
  CHECK(setup(1, 0).empty());
}

TEST_CASE("ranks divide the processors of their own machine, not those of all machines", "[machine]") {
  const ThreadVariable none(nullptr);
  omp_set_num_threads(5);
  const int processors = omp_get_num_procs();
  set_up_ranks(
      FakeRanks(0, 1 + processors, on_another_machine(1)), [] { return std::uint64_t{1}; }, 100);
  CHECK(thread_count() == processors);
  set_up_ranks(
      FakeRanks(0, processors), [] { return std::uint64_t{1}; }, 100);
  CHECK(thread_count() == 1);
}

TEST_CASE("ranks divide processors only with the ranks that run on the same ones", "[machine][linux]") {
  const ThreadVariable none(nullptr);
  const int processors = omp_get_num_procs();
  omp_set_num_threads(processors + 1);
  set_up_ranks(
      FakeRanks(0, 1 + processors, on_other_processors(1)), [] { return std::uint64_t{1}; }, 5000);
  CHECK(thread_count() == processors);
  set_up_ranks(
      FakeRanks(0, 1 + processors, on_other_processors(processors)), [] { return std::uint64_t{1}; }, 5000);
  CHECK(thread_count() == 1);
}

TEST_CASE("ranks that differ are named, with their machines", "[machine]") {
  const auto differing = [](int rank, std::span<std::byte> item) {
    if (rank == 1 || rank == 3) {
      item.back() = std::byte{9};  // an item ends with the fingerprint
    }
  };
  const FakeRanks ranks(0, 4, differing);
  const std::string host = host_name();
  CHECK(complaint([&] {
          require_same(
              ranks, "the text", [] { return std::uint64_t{1}; }, "Copy it.");
        }) ==
        "the text: not the same on rank 1 on " + host + ", rank 3 on " + host + " as on the first rank. Copy it.");
  CHECK(complaint([&] {
          require_same(
              FakeRanks(0, 4), "the text", [] { return std::uint64_t{1}; }, "");
        }).empty());
}

TEST_CASE("the log tells how ranks divide the work, and warns of more threads than processors", "[machine]") {
  const int processors = rank_places(one_process).processors;
  const std::string number = std::to_string(processors);
  const WithThreads one(1);
  {
    const CapturedLog log;
    log_ranks(one_process, 8);
    CHECK(log.text().empty());
  }
  {
    const CapturedLog log;
    log_ranks(FakeRanks(0, processors + 2, on_another_machine(processors)), 8);
    CHECK(log.text() == "info: " + std::to_string(processors + 2) + " ranks on 2 machine(s) share 8 shards; this " +
                            "machine: " + number + " ranks, 1 thread(s) each, " + number + " processors\n");
  }
  {
    const CapturedLog log;
    log_ranks(FakeRanks(0, processors + 1), 8);
    CHECK(contains(log.text(), "warning: " + std::to_string(processors + 1) + " threads share " + number +
                                   " processors on this machine: OMP_NUM_THREADS applies to each rank\n"));
  }
}

TEST_CASE("at every validation, ranks compare all of their weights", "[machine]") {
  const test::TemporaryDirectory directory;
  const Config config =
      toy_run::toy({"training.max_updates=2", "training.validation.every=1", "training.validation.unit=updates",
                    "data.valid=", "training.checkpoints.keep=2"});
  const TokenizerPair tokenizers = toy_run::tokenizers_of(config);
  std::vector<std::uint64_t> compared;
  const FakeRanks ranks(0, 2, collect_fingerprints(compared));
  const auto run = start_run(plan_training(config, tokenizers), toy_run::text_of(config, tokenizers), directory / "run",
                             {}, toy_run::kNowhere, ranks);
  compared.clear();  // that of the text
  REQUIRE(run->train(toy_run::kNever) == 0);
  const auto of_weights = [&](const char* checkpoint) {
    const std::vector<float> weights = toy_run::weights_of(directory / "run" / checkpoint);
    return Fingerprint().mix(std::span(weights)).value();
  };
  CHECK(compared == std::vector{of_weights("step-00000001"), of_weights("step-00000002")});
}
