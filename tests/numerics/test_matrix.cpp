#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "glassformer/numerics/matrix.hpp"
#include "random_values.hpp"

using namespace glassformer;

TEST_CASE("A buffer keeps its memory when it shrinks and grows back, and reallocates only to grow further",
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

TEST_CASE("A buffer leaves a cache line free between rows that would begin at multiples of 2 KiB", "[numerics]") {
  CHECK(Buffer<float>(3, 512).view().stride() == 528);
  CHECK(Buffer<float>(3, 1536).view().stride() == 1552);
  CHECK(Buffer<double>(3, 256).view().stride() == 264);
  CHECK(Buffer<std::uint8_t>(3, 2048).view().stride() == 2112);
  CHECK(Buffer<float>(3, 511).view().stride() == 511);
  CHECK(Buffer<float>(3, 256).view().stride() == 256);
  CHECK(Buffer<float>(1, 512).view().stride() == 512);  // a single row needs no gap

  Buffer<float> buffer(2, 512);
  buffer.resize(7, 512);  // allocates memory for the gaps too: the address sanitizer checks the last row
  for (Index r = 0; r < 7; ++r) {
    buffer.row(r).eigen().setConstant(static_cast<float>(r));
  }
  for (Index r = 0; r < 7; ++r) {
    CHECK((buffer.row(r).eigen().array() == static_cast<float>(r)).all());
  }
}

TEST_CASE("A buffer is a row-major matrix", "[numerics]") {
  const Buffer<float> buffer{{1, 2, 3}, {4, 5, 6}};
  CHECK(buffer.rows() == 2);
  CHECK(buffer.cols() == 3);
  CHECK(buffer.size() == 6);
  CHECK(buffer(1, 0) == 4);
  CHECK(buffer.row(1)[2] == 6);
  for (Index i = 0; i < 6; ++i) {
    CHECK(buffer.data()[i] == static_cast<float>(i + 1));
  }
  CHECK(same_bits(buffer, Matrix<float>{{1, 2, 3}, {4, 5, 6}}));
  CHECK(Buffer<float>{}.size() == 0);

  Buffer<float> filled(3, 512);  // with gaps between its rows
  filled.fill(7);
  CHECK((filled.eigen().array() == 7).all());
}

TEST_CASE("A copied buffer has the same numbers in its own memory, which it reuses", "[numerics]") {
  RandomValues random(1);
  for (const Index cols : {4, 512}) {  // without and with gaps between the rows
    const Buffer<float> from = random.matrix<float>(3, cols);
    Buffer<float> to = from;
    CHECK(same_bits(to, from));
    CHECK(to.data() != from.data());
    const float* const memory = to.data();
    to.fill(5);
    to = from;
    CHECK(to.data() == memory);
    CHECK(same_bits(to, from));
  }
}

TEST_CASE("A block of a matrix is a view of some of its rows and columns", "[numerics]") {
  RandomValues random(2);
  for (const Index cols : {10, 512}) {
    Buffer<float> buffer = random.matrix<float>(6, cols);
    const Matrix<float> numbers = buffer.eigen();
    const MatrixView<float> whole = buffer;
    const MatrixView<float> block = whole.block(1, 3, 4, 5);
    CHECK(same_bits(whole, numbers));
    CHECK(same_bits(block, numbers.block(1, 3, 4, 5)));
    CHECK(same_bits(whole.middle_rows(2, 3), numbers.middleRows(2, 3)));
    CHECK(same_bits(whole.middle_cols(2, 3), numbers.middleCols(2, 3)));
    CHECK(same_bits(block.middle_cols(1, 2).middle_rows(3, 1), numbers.block(4, 4, 1, 2)));
    CHECK(same_bits(block.row(2), numbers.row(3).segment(3, 5)));
    CHECK(block.stride() == whole.stride());

    block(0, 0) = 17;
    block.row(1)[4] = 18;
    CHECK(buffer(1, 3) == 17);
    CHECK(buffer(2, 7) == 18);
  }
}

TEST_CASE("A row is a view of adjacent numbers", "[numerics]") {
  Buffer<double> buffer{{1, 2, 3}, {4, 5, 6}};
  const RowView<double> row = buffer.row(1);
  CHECK(row.size() == 3);
  CHECK(row.data() == buffer.data() + 3);
  CHECK(std::vector<double>(row.begin(), row.end()) == std::vector<double>{4, 5, 6});
  CHECK(std::span<double>(row).size() == 3);
  for (double& number : row) {
    number *= 2;
  }
  CHECK(buffer(1, 2) == 12);
  const RowView<const double> read_only = row;
  CHECK(read_only[0] == 8);
  STATIC_REQUIRE(std::is_same_v<decltype(read_only[0]), const double&>);
}

TEST_CASE("Views of a const matrix have const elements", "[numerics]") {
  STATIC_REQUIRE(std::is_same_v<decltype(std::declval<const Buffer<float>&>().view()), MatrixView<const float>>);
  STATIC_REQUIRE(std::is_same_v<decltype(std::declval<const Buffer<float>&>().row(0)), RowView<const float>>);
  STATIC_REQUIRE(std::is_convertible_v<MatrixView<float>, MatrixView<const float>>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<MatrixView<const float>, MatrixView<float>>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<RowView<const float>, RowView<float>>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<const Buffer<float>&, MatrixView<float>>);
}

TEST_CASE("Moving a buffer moves its memory and leaves behind an empty buffer that can be reused", "[numerics]") {
  RandomValues random(1);
  Buffer<double> from = random.matrix(3, 4);
  const Buffer<double> numbers = from;
  const double* const memory = from.data();

  Buffer<double> to(std::move(from));
  CHECK(to.data() == memory);
  CHECK(same_bits(to, numbers));
  CHECK(from.size() == 0);  // NOLINT(bugprone-use-after-move): this is what is tested

  from.resize(2, 2);
  from.fill(5);
  CHECK(same_bits(to, numbers));
  to.resize(3, 3);
  CHECK(to.data() == memory);
}
