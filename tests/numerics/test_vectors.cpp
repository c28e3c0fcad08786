#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "numerics/stretch.hpp"
#include "numerics/vectors.hpp"
#include "random_values.hpp"

using namespace glassformer;

TEMPLATE_TEST_CASE("A part of a vector is loaded with a filling behind it, and stored without touching what follows",
                   "[numerics]", float, double) {
  constexpr Index kSize = kLanes<TestType>;
  constexpr TestType kFilling = -std::numeric_limits<TestType>::infinity();
  RandomValues random(1);
  const Buffer<TestType> row = random.matrix<TestType>(1, kSize);
  for (Index count = 0; count <= kSize; ++count) {
    const Vector<TestType> part = load_part(row.data(), count, kFilling);
    Matrix<TestType> written = Matrix<TestType>::Constant(1, kSize, 7);
    store_part<TestType>(part, count, written.data());
    for (Index k = 0; k < kSize; ++k) {
      CHECK(part[k] == (k < count ? row(0, k) : kFilling));
      CHECK(written(0, k) == (k < count ? row(0, k) : TestType{7}));
    }
  }
}

TEMPLATE_TEST_CASE("A row in stretches comes back as it was, and nothing behind its end is touched", "[numerics]",
                   float, double) {
  for (Index size = 0; size <= 2 * kStretch + 1; ++size) {
    RandomValues random(2);
    const Buffer<TestType> row = random.matrix<TestType>(1, size);
    Matrix<TestType> copy = Matrix<TestType>::Constant(1, size + kStretch, 7);
    for (Index j = 0; j < size; j += kStretch) {
      const Stretch<TestType> stretch = load_stretch<TestType>(row.data(), j, size, -1);
      for (Index k = 0; k < kStretch; ++k) CHECK(stretch[k] == (j + k < size ? row(0, j + k) : TestType{-1}));
      store_stretch(stretch, copy.data(), j, size);
    }
    CHECK(copy.leftCols(size) == row.eigen());
    CHECK((copy.rightCols(kStretch).array() == 7).all());
  }
}

TEST_CASE("The lower halves are multiplied in 64 bits, whatever the upper ones are", "[numerics]") {
  const Vector<std::uint64_t> a = Vector<std::uint64_t>{} + 0x12345678'FFFFFFFF;
  const Vector<std::uint64_t> b = Vector<std::uint64_t>{} + 0xD2511F53;
  const Vector<std::uint64_t> product = multiply_lower_halves(a, b);
  for (Index k = 0; k < kLanes<std::uint64_t>; ++k) CHECK(product[k] == 0xFFFFFFFFULL * 0xD2511F53ULL);
}
