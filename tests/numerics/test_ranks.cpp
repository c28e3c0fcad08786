#include <vector>

#include "catch.hpp"
#include "glassformer/numerics/ranks.hpp"

using namespace glassformer;

TEST_CASE("Blocks are contiguous and in rank order, and their sizes differ by at most one", "[numerics]") {
  for (const Index count : {1, 7, 8, 64}) {
    for (int size = 1; size <= count; ++size) {
      Index next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const Ranks::Block block = Ranks::block(count, rank, size);
        CHECK(block.begin == next);
        CHECK(block.size() >= count / size);
        CHECK(block.size() <= (count + size - 1) / size);
        next = block.end;
      }
      CHECK(next == count);
    }
  }
}

TEST_CASE("A single process sums and gathers its own values", "[numerics]") {
  CHECK(alone.size() == 1);
  std::vector<float> sum = {1, 2, 3};
  alone.sum_in_order(sum, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      sum[static_cast<std::size_t>(i)] += 10;
    }
  });
  CHECK(sum == std::vector<float>{11, 12, 13});
  alone.gather(std::span(sum));
  CHECK(sum == std::vector<float>{11, 12, 13});
}
