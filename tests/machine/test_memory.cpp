#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "glassformer/machine/machine.hpp"
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
        "Name:\tglassformer\nVmSize:\t 2097152 kB\nVmRSS:\t 1572864 kB\nRssAnon:\t 1048576 kB\nVmData:\t 1048576 kB\n");
  }
  void write(const std::filesystem::path& file, const std::string& text) const {
    std::filesystem::create_directories((directory_ / file).parent_path());
    directory_.write(file, text);
  }
  MemoryLeft left(int processes = 1) const { return memory_left(processes, directory_.path()); }

 private:
  test::TemporaryDirectory directory_;
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

TEST_CASE("if the system gives no figures, the memory limit is unknown", "[machine][linux]") {
  const test::TemporaryDirectory empty;
  CHECK(memory_left(1, empty.path()).bytes == 0);
  CHECK(memory_left(1, empty.path()).available == 0);
  CHECK(memory_left().bytes > 0);  // on this machine it is known
}
