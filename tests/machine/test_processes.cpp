#include <vector>

#include "catch.hpp"
#include "glassformer/machine/processes.hpp"

using namespace glassformer;

TEST_CASE("A single process is the first, does every action itself and keeps its values", "[machine]") {
  CHECK(one_process.is_first());
  std::vector<float> values = {1, 2, 3};
  one_process.broadcast(std::span(values));
  CHECK(values == std::vector<float>{1, 2, 3});
  std::vector<double> numbers = {1, 2};
  one_process.largest(numbers);
  CHECK(numbers == std::vector<double>{1, 2});
  int times = 0;
  one_process.once([&] { ++times; });
  one_process.together([&] { ++times; });
  CHECK(times == 2);
  CHECK_THROWS_AS(one_process.together([] { throw 1; }), int);
}
