#include "numerics/resident_memory.hpp"

#include <algorithm>
#include <vector>

#include "catch.hpp"

using namespace glassformer;

TEST_CASE("resident memory rises with what is used, and the peak stays", "[numerics]") {
  constexpr std::int64_t kBytes = std::int64_t{256} << 20;
  const ResidentMemory before = resident_memory();
  REQUIRE(before.now > 0);
  CHECK(before.peak >= before.now);
  {
    const std::vector<char> block(static_cast<std::size_t>(kBytes), 'x');
    CHECK(resident_memory().now > before.now + kBytes / 2);
    CHECK(std::ranges::count(block, 'x') == kBytes);  // so that it is not left out
  }
  CHECK(resident_memory().peak > before.now + kBytes / 2);
}
