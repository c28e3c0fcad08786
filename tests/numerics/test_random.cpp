#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "glassformer/numerics/philox.hpp"
#include "glassformer/numerics/random.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

using Words = std::array<std::uint32_t, 4>;

/// Philox4x32-10 as in the paper (Salmon et al. 2011, section 3.3), for one counter: ten rounds of multiplying,
/// swapping and mixing in a key that advances by Weyl sequences. This second implementation ties the core's numbers to
/// the paper.
Words reference_philox(Words counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t left = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t right = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(right >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(right),
               static_cast<std::uint32_t>(left >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(left)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// The core's, for one counter.
Words core_philox(Words counter, std::array<std::uint32_t, 2> key) {
  std::uint32_t words[4][1] = {{counter[0]}, {counter[1]}, {counter[2]}, {counter[3]}};
  philox(key[0], key[1], words);
  return {words[0][0], words[1][0], words[2][0], words[3][0]};
}

std::vector<double> uniform(const RandomRow& row, Index size) {
  std::vector<double> numbers(static_cast<std::size_t>(size));
  fill_uniform(row, size, numbers.data());
  return numbers;
}

constexpr RandomRow kRow{.seed = 0x123456789abcdef0, .update = 11, .site = 22, .sentence = 33, .row = 44};

/// Rows that differ from kRow in one coordinate each. The seed differs once in its lower and once in its upper half.
std::vector<RandomRow> neighbours() {
  std::vector<RandomRow> rows(6, kRow);
  rows[0].seed += 1;
  rows[1].seed += std::uint64_t{1} << 32;
  rows[2].update += 1;
  rows[3].site += 1;
  rows[4].sentence += 1;
  rows[5].row += 1;
  return rows;
}

}  // namespace

/// The published answers for philox4x32-10: tests/kat_vectors in Random123, the library of the paper's authors.
TEST_CASE("Philox gives the known answers in Random123's kat_vectors", "[numerics]") {
  const auto [generator, name] = GENERATE(table<Words (*)(Words, std::array<std::uint32_t, 2>), const char*>(
      {{core_philox, "the core's"}, {reference_philox, "this test's"}}));
  CAPTURE(name);
  CHECK(generator({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(generator({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(generator({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE(
    "Random numbers are Philox of their coordinates: counter (block of four, row, sentence, site), key "
    "(seed, update)",
    "[numerics]") {
  const std::uint32_t seed = 0x12345678 ^ 0x9abcdef0;  // both halves
  const std::vector<double> numbers = uniform(kRow, 4 * 70);
  for (std::uint32_t block = 0; block < 70; ++block) {
    const Words bits = reference_philox({block, 44, 33, 22}, {seed, 11});
    for (std::size_t k = 0; k < 4; ++k) {
      CHECK(numbers[4 * block + k] == std::ldexp(bits[k] >> 8, -24));
    }
  }
  CHECK(uniform({}, 1)[0] == std::ldexp(0x6627e8, -24));
}

TEST_CASE("A random number does not depend on how many are drawn", "[numerics]") {
  const std::vector<double> many = uniform(kRow, 303);
  for (const Index size : {1, 2, 3, 4, 5, 7, 64, 128, 129, 257}) {
    const std::vector<double> few = uniform(kRow, size);
    CHECK(few == std::vector<double>(many.begin(), many.begin() + size));
  }
}

TEST_CASE("Nothing is written beyond the numbers requested", "[numerics]") {
  for (Index size = 0; size < 9; ++size) {
    std::vector<double> numbers(12, -1);
    fill_uniform(kRow, size, numbers.data());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      CHECK((numbers[i] == -1) == (i >= static_cast<std::size_t>(size)));
    }
  }
}

TEST_CASE("Each coordinate matters: a new seed, update, site, sentence or row gives different numbers", "[numerics]") {
  constexpr Index kSize = 4096;
  const std::vector<double> here = uniform(kRow, kSize);
  for (const RandomRow& row : neighbours()) {
    const std::vector<double> there = uniform(row, kSize);
    double covariance = 0;
    for (std::size_t i = 0; i < here.size(); ++i) {
      covariance += (here[i] - 0.5) * (there[i] - 0.5);
    }
    // The correlation of independent numbers is normal with standard deviation 1/sqrt(size). A value beyond five of
    // them is a one-in-a-million event.
    CHECK(std::abs(covariance / kSize * 12) < 5 / std::sqrt(kSize));
    CHECK(here != there);
  }
}

TEST_CASE("Uniform numbers are in [0, 1), with mean 1/2 and variance 1/12 within five standard deviations",
          "[numerics]") {
  constexpr Index kRows = 100;
  constexpr Index kCols = 2000;
  constexpr double kCount = kRows * kCols;
  double sum = 0;
  double squares = 0;
  double smallest = 1;
  double largest = 0;
  for (Index row = 0; row < kRows; ++row) {
    for (const double x : uniform({.seed = 5, .row = static_cast<std::uint32_t>(row)}, kCols)) {
      sum += x;
      squares += (x - 0.5) * (x - 0.5);
      smallest = std::min(smallest, x);
      largest = std::max(largest, x);
    }
  }
  CHECK(smallest >= 0);
  CHECK(largest < 1);
  CHECK(std::abs(sum / kCount - 0.5) < 5 / std::sqrt(12 * kCount));
  CHECK(std::abs(squares / kCount - 1.0 / 12) < 5 / std::sqrt(180 * kCount));
}

TEST_CASE("Philox decides what dropout keeps: counter (column, row, sentence, site), 16 bits for each of 8 rows",
          "[numerics]") {
  const std::uint32_t seed = 0x12345678 ^ 0x9abcdef0;
  const std::uint32_t threshold = 19661;  // 0.3 * 2^16, rounded
  RandomRow first = kRow;
  first.row = 48;
  for (const Index cols : {1, 15, 16, 17, 40}) {
    Buffer<std::uint8_t> kept(8, cols);
    draw_kept(first, 0.3, kept);
    for (Index j = 0; j < cols; ++j) {
      const Words bits = reference_philox({static_cast<std::uint32_t>(j), 48, 33, 22}, {seed, 11});
      for (Index r = 0; r < 8; ++r) {
        const std::uint32_t word = bits[static_cast<std::size_t>(r / 2)];
        CHECK(kept(r, j) == ((r % 2 == 0 ? word & 0xFFFF : word >> 16) >= threshold));
      }
    }
    Buffer<std::uint8_t> guarded(9, cols + 2);  // fewer rows, and nothing is written beyond them
    guarded.fill(7);
    const auto block = guarded.view().block(1, 1, 3, cols);
    draw_kept(first, 0.3, block);
    CHECK(same_bits(block, kept.view().middle_rows(0, 3)));
    block.eigen().setConstant(7);
    CHECK((guarded.eigen().array() == 7).all());
  }
}

TEST_CASE("Dropout's rate is rounded to the nearest multiple of 2^-16", "[numerics]") {
  RandomRow first = kRow;
  first.row = 48;
  const double half =
      reference_philox({0, 48, 33, 22}, {0x12345678 ^ 0x9abcdef0, 11})[0] & 0xFFFF;  // decides kept(0, 0)
  Buffer<std::uint8_t> kept(8, 1);
  draw_kept(first, (half + 0.6) / 65536, kept);  // rounded, this is above `half`
  CHECK(kept(0, 0) == 0);
  draw_kept(first, (half + 0.4) / 65536, kept);
  CHECK(kept(0, 0) == 1);
}

TEST_CASE("Dropout drops with the given probability in every row", "[numerics]") {
  constexpr Index kCount = 50'000;
  for (const double rate : {0.0, 0.1, 0.5, 0.9}) {
    Buffer<std::uint8_t> kept(8, kCount);
    RandomRow first = kRow;
    first.row = 48;
    draw_kept(first, rate, kept);
    CHECK(kept.eigen().maxCoeff() <= 1);
    for (Index r = 0; r < 8; ++r) {
      const double dropped = kCount - kept.eigen().row(r).cast<double>().sum();
      CAPTURE(rate, r, dropped);
      CHECK(std::abs(dropped - rate * kCount) <= 5 * std::sqrt(kCount * rate * (1 - rate)));
    }
  }
}
