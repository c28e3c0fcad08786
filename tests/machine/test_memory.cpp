#include <sys/resource.h>

#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "glassformer/machine/memory.hpp"
#include "temporary_directory.hpp"

using namespace glassformer;

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

/// A machine with 8 GiB of RAM, of which 5 are available; this process uses 1.
class Machine {
 public:
  Machine() {
    write("proc/meminfo", "MemTotal:    8388608 kB\nMemFree:  1 kB\nMemAvailable:    5242880 kB\nSwapTotal:   0 kB\n");
    write(
        "proc/self/status",
        "Name:\tglassformer\nVmSize:\t 4194304 kB\nVmRSS:\t 1572864 kB\nRssAnon:\t 1048576 kB\nVmData:\t 3145728 kB\n");
  }
  void write(const std::filesystem::path& file, const std::string& text) const {
    std::filesystem::create_directories((directory_ / file).parent_path());
    directory_.write(file, text);
  }
  MemoryLeft left(int processes = 1) const { return memory_left(processes, directory_.path()); }

 private:
  test::TemporaryDirectory directory_;
};

/// A limit of this process, as ulimit sets it.
class Ulimit {
 public:
  using Resource = decltype(RLIMIT_AS);

  Ulimit(Resource resource, std::int64_t bytes) : resource_(resource) {
    getrlimit(resource, &before_);
    rlimit lowered = before_;
    lowered.rlim_cur = static_cast<rlim_t>(bytes);
    REQUIRE(setrlimit(resource, &lowered) == 0);
  }
  ~Ulimit() { setrlimit(resource_, &before_); }
  Ulimit(const Ulimit&) = delete;
  Ulimit& operator=(const Ulimit&) = delete;

 private:
  Resource resource_;
  rlimit before_{};
};

}  // namespace

TEST_CASE("resident memory rises with use, and its peak stays", "[machine][linux]") {
  constexpr std::int64_t kBytes = std::int64_t{256} << 20;
  const ResidentMemory before = resident_memory();
  REQUIRE(before.now > 0);
  CHECK(before.peak >= before.now);
  {
    const std::vector<char> block(static_cast<std::size_t>(kBytes), 'x');
    CHECK(resident_memory().now > before.now + kBytes / 2);
    CHECK(std::ranges::count(block, 'x') == kBytes);  // so that the compiler does not drop the block
  }
  CHECK(resident_memory().peak > before.now + kBytes / 2);
}

TEST_CASE("RAM and swap limit memory; less than that may be available", "[machine][linux]") {
  Machine machine;
  CHECK(machine.left().bytes == 7 * kGiB);
  CHECK(machine.left().available == 5 * kGiB);
  CHECK(machine.left().limit == "the machine's memory");
  CHECK(machine.left(2).bytes == 3 * kGiB);
  machine.write("proc/meminfo", "MemTotal:    8388608 kB\nSwapTotal:   2097152 kB\n");
  CHECK(machine.left().bytes == 9 * kGiB);
  CHECK(machine.left().available == 9 * kGiB);  // there is no MemAvailable
}

TEST_CASE("a version 2 cgroup limits memory, and so do its ancestors", "[machine][linux]") {
  const Machine machine;
  machine.write("proc/self/cgroup", "0::/outer/inner\n");
  machine.write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  CHECK(machine.left().bytes == 7 * kGiB);
  machine.write("sys/fs/cgroup/outer/memory.max", std::to_string(4 * kGiB) + "\n");
  CHECK(machine.left().bytes == 3 * kGiB);
  CHECK(machine.left().available == 3 * kGiB);
  CHECK(machine.left().limit == "the cgroup's limit");
  machine.write("sys/fs/cgroup/outer/inner/memory.max", std::to_string(3 * kGiB) + "\n");
  CHECK(machine.left().bytes == 2 * kGiB);
}

TEST_CASE("processes share the memory, the swap and the limit of their cgroup", "[machine][linux]") {
  const Machine machine;
  machine.write("proc/meminfo",
                "MemTotal:    8388608 kB\nMemAvailable:    5242880 kB\nSwapTotal:   2097152 kB\nSwapFree:  1 kB\n");
  CHECK(machine.left().bytes == 9 * kGiB);
  CHECK(machine.left(2).bytes == 4 * kGiB);
  CHECK(machine.left(2).available == 5 * kGiB / 2);
  machine.write("proc/self/cgroup", "0::/on/the/host\n");
  machine.write("sys/fs/cgroup/memory.max", std::to_string(6 * kGiB) + "\n");  // a container's own limit
  CHECK(machine.left().bytes == 7 * kGiB);
  CHECK(machine.left().available == 5 * kGiB);
  CHECK(machine.left(2).bytes == 3 * kGiB);
  CHECK(machine.left(2).available == 5 * kGiB / 2);
  CHECK(machine.left(4).bytes == kGiB);
  CHECK(machine.left(4).available == kGiB);
  CHECK(machine.left(4).limit == "the cgroup's limit");
}

TEST_CASE("ulimit -v and ulimit -d limit what a process has mapped and its data, whatever other processes use",
          "[machine][linux]") {
  constexpr std::int64_t kLimit = kGiB << 20;  // so much that it does not limit the tests
  const Machine machine;
  machine.write("proc/meminfo", "MemTotal: " + std::to_string(kLimit) + " kB\n");
  const auto check_left = [&](std::int64_t bytes, const std::string& limit) {
    for (const int processes : {1, 3}) {
      CHECK(machine.left(processes).bytes == bytes);
      CHECK(machine.left(processes).available == bytes);
      CHECK(machine.left(processes).limit == limit);
    }
  };
  {
    const Ulimit data(RLIMIT_DATA, kLimit);
    check_left(kLimit - 3 * kGiB, "ulimit -d");
    const Ulimit mapped(RLIMIT_AS, kLimit);
    check_left(kLimit - 4 * kGiB, "ulimit -v");
  }
  const Ulimit mapped(RLIMIT_AS, kLimit);
  check_left(kLimit - 4 * kGiB, "ulimit -v");
  machine.write("proc/self/status", "VmSize:\t " + std::to_string(kLimit) + " kB\n");  // it is more than used up
  check_left(1, "ulimit -v");
}

TEST_CASE("if a limit is used up, hardly anything is left, which differs from an unknown limit", "[machine][linux]") {
  const Machine machine;
  const auto check_used_up = [&](const std::string& limit) {
    CHECK(machine.left().bytes == 1);
    CHECK(machine.left().available == 1);
    CHECK(machine.left().limit == limit);
  };
  machine.write("proc/self/cgroup", "0::/inner\n");
  for (const std::int64_t most : {kGiB, kGiB / 2}) {
    machine.write("sys/fs/cgroup/inner/memory.max", std::to_string(most) + "\n");
    check_used_up("the cgroup's limit");
  }
  machine.write("sys/fs/cgroup/inner/memory.max", std::to_string(4 * kGiB) + "\n");
  machine.write("proc/meminfo", "MemTotal:  524288 kB\nMemAvailable:    262144 kB\n");
  check_used_up("the machine's memory");
}

TEST_CASE("if the system gives no figures, the memory limit is unknown", "[machine][linux]") {
  const test::TemporaryDirectory empty;
  CHECK(memory_left(1, empty.path()).bytes == 0);
  CHECK(memory_left(1, empty.path()).available == 0);
  CHECK(memory_left().bytes > 0);  // on this machine it is known
}
