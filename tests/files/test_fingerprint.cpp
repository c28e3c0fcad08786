#include <vector>

#include "catch.hpp"
#include "glassformer/files/fingerprint.hpp"

using namespace glassformer;

TEST_CASE("fingerprints distinguish numbers, their order and the signs of zeros", "[files]") {
  const auto of = [](std::vector<float> numbers) {
    Fingerprint fingerprint;
    fingerprint.mix(std::span<const float>(numbers));
    return fingerprint.value();
  };
  CHECK(of({1, 2}) == of({1, 2}));
  CHECK(of({1, 2}) != of({2, 1}));
  CHECK(of({0.0F}) != of({-0.0F}));
}
