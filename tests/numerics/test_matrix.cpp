#include <cstdint>
#include <type_traits>
#include <utility>

#include "catch.hpp"
#include "numerics/matrix.hpp"
#include "random_values.hpp"

using namespace glassformer;

TEST_CASE("A buffer keeps its memory when it shrinks and grows back, and takes new memory only to grow beyond",
          "[numerics]") {
  Buffer<float> buffer(4, 6);
  const float* const memory = buffer.data();
  buffer.resize(2, 3);
  CHECK(buffer.data() == memory);
  CHECK(buffer.rows() == 2);
  CHECK(buffer.cols() == 3);
  buffer.resize(8, 3);  // the same 24 numbers in another shape
  CHECK(buffer.data() == memory);
  buffer.resize(0, 0);
  CHECK(buffer.size() == 0);
  buffer.resize(6, 4);
  CHECK(buffer.data() == memory);

  buffer.resize(5, 5);
  const float* const more = buffer.data();
  buffer.resize(4, 6);
  CHECK(buffer.data() == more);
}

TEST_CASE("A buffer is aligned to the widest vector register", "[numerics]") {
  for (const Index cols : {1, 3, 17, 1000}) {
    CHECK(reinterpret_cast<std::uintptr_t>(Buffer<float>(1, cols).data()) % 64 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(Buffer<double>(1, cols).data()) % 64 == 0);
  }
}

TEST_CASE("Between rows that would begin at multiples of 2 KiB a buffer leaves a cache line free", "[numerics]") {
  CHECK(Buffer<float>(3, 512).outerStride() == 528);
  CHECK(Buffer<float>(3, 1536).outerStride() == 1552);
  CHECK(Buffer<double>(3, 256).outerStride() == 264);
  CHECK(Buffer<std::uint8_t>(3, 2048).outerStride() == 2112);
  CHECK(Buffer<float>(3, 511).outerStride() == 511);
  CHECK(Buffer<float>(3, 256).outerStride() == 256);
  CHECK(Buffer<float>(1, 512).outerStride() == 512);  // a single row is nothing but its numbers

  Buffer<float> buffer(2, 512);
  buffer.resize(7, 512);  // more memory is taken for the gaps, too: the address sanitizer looks at the last row
  for (Index r = 0; r < 7; ++r) buffer.row(r).setConstant(static_cast<float>(r));
  for (Index r = 0; r < 7; ++r) CHECK((buffer.row(r).array() == static_cast<float>(r)).all());
}

TEST_CASE("A buffer of 2 MiB or more begins at a huge page", "[numerics]") {
  constexpr std::uintptr_t kHugePage = 2 << 20;
  CHECK(reinterpret_cast<std::uintptr_t>(Buffer<float>(512, 1024).data()) % kHugePage == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(Buffer<double>(3000, 1001).data()) % kHugePage == 0);
}

TEST_CASE("A buffer is a row-major matrix in every expression", "[numerics]") {
  RandomValues random(1);
  const Buffer<double> a = random.matrix(3, 4), b = random.matrix(4, 2);
  Buffer<double> product(3, 2);
  product.noalias() = a * b;
  CHECK(product(2, 1) == Approx(a.row(2).dot(b.col(1))));
  CHECK(product.data()[1 * 2 + 0] == product(1, 0));

  Buffer<double> sum;
  sum.resize_like(product);
  sum = product + product;
  sum += product;
  CHECK(largest_difference(sum, 3 * product) < 1e-15);
  sum.view() = product;
  CHECK(same_bits(sum, product));
}

TEST_CASE("A moved buffer takes its numbers along and leaves an empty one that can be used again", "[numerics]") {
  RandomValues random(1);
  Buffer<double> from = random.matrix(3, 4);
  const Matrix<double> numbers = from;
  const double* const memory = from.data();

  Buffer<double> to(std::move(from));
  CHECK(to.data() == memory);
  CHECK(same_bits(to, numbers));
  CHECK(from.size() == 0);  // NOLINT(bugprone-use-after-move): this is the law under test

  from.resize(2, 2);
  from.setConstant(5);
  CHECK(same_bits(to, numbers));
  to.resize(3, 3);
  CHECK(to.data() == memory);
}

TEST_CASE("A buffer cannot be copied by accident", "[numerics]") {
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Buffer<float>>);
  STATIC_REQUIRE_FALSE(std::is_copy_assignable_v<Buffer<float>>);
}
