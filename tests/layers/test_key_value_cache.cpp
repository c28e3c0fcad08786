#include <vector>

#include "catch.hpp"
#include "glassformer/layers/key_value_cache.hpp"
#include "random_values.hpp"

using namespace glassformer;

TEST_CASE("a row sees the keys and values of its ancestors, however rows are extended", "[decoding]") {
  constexpr Index kSlots = 6;
  constexpr Index kWidth = 2;
  constexpr Index kSteps = 50;  // enough steps for the cache to grow
  RandomValues random(5);
  KeyValueCache<double> cache;
  cache.start(kSlots, kWidth);

  std::vector<std::vector<double>> written(3);  // what was written to each row so far, one number per token
  std::vector<Index> parents = {0, 0, 0};
  for (Index t = 0; t < kSteps; ++t) {
    cache.extend(parents);
    REQUIRE(cache.mask().keys() == t + 1);
    REQUIRE((cache.mask().blocked.eigen().array() == 0).all());
    for (Index r = 0; r < static_cast<Index>(written.size()); ++r) {
      written[static_cast<std::size_t>(r)].push_back(random.number());
      const double number = written[static_cast<std::size_t>(r)].back();
      cache.add(r, Buffer<double>{{number, number, -number, -number}});
    }
    for (Index r = 0; r < static_cast<Index>(written.size()); ++r) {
      for (Index i = 0; i <= t; ++i) {
        const double number = written[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)];
        REQUIRE(cache.keys(r)(i, 1) == number);
        REQUIRE(cache.values(r)(i, 0) == -number);
      }
    }
    parents.assign(static_cast<std::size_t>(1 + random.index(kSlots)), 0);
    std::vector<std::vector<double>> next;
    for (Index& parent : parents) {
      parent = random.index(static_cast<Index>(written.size()));
      next.push_back(written[static_cast<std::size_t>(parent)]);
    }
    written = next;
  }
}
