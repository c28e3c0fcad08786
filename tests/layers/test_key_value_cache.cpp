#include <vector>

#include "catch.hpp"
#include "layers/key_value_cache.hpp"
#include "random_values.hpp"

using namespace glassformer;

TEST_CASE("a row sees the keys and values of its ancestors, however rows are extended", "[decoding]") {
  constexpr Index kLayers = 2;
  constexpr Index kSlots = 6;
  constexpr Index kWidth = 2;
  constexpr Index kSteps = 50;  // enough steps for the cache to grow
  RandomValues random(5);
  KeyValueCache<double> cache;
  cache.start(kLayers, kSlots, kWidth);

  std::vector<std::vector<double>> written(3);  // what was written to each row so far, one number per token
  std::vector<Index> parents = {0, 0, 0};
  for (Index t = 0; t < kSteps; ++t) {
    cache.extend(parents);
    REQUIRE(cache.length() == t + 1);
    REQUIRE(cache.layer(0).mask().keys() == t + 1);
    REQUIRE((cache.layer(0).mask().blocked.eigen().array() == 0).all());
    for (Index r = 0; r < static_cast<Index>(written.size()); ++r) {
      written[static_cast<std::size_t>(r)].push_back(random.number());
      for (std::size_t layer = 0; layer < kLayers; ++layer) {
        const double number = written[static_cast<std::size_t>(r)].back() + static_cast<double>(layer);
        cache.layer(layer).add(r, Buffer<double>{{number, number, -number, -number}});
      }
    }
    for (Index r = 0; r < static_cast<Index>(written.size()); ++r) {
      for (std::size_t layer = 0; layer < kLayers; ++layer) {
        for (Index i = 0; i <= t; ++i) {
          const double number =
              written[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)] + static_cast<double>(layer);
          REQUIRE(cache.layer(layer).keys(r)(i, 1) == number);
          REQUIRE(cache.layer(layer).values(r)(i, 0) == -number);
        }
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
