#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "catch.hpp"
#include "glassformer/machine/memory.hpp"
#include "glassformer/numerics/buffer.hpp"

using namespace glassformer;

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// The functions of use_huge_pages, while the test keeps its own.
MatrixMemory huge_pages() {
  const MatrixMemory before = matrix_memory;
  use_huge_pages();
  const MatrixMemory functions = matrix_memory;
  matrix_memory = before;
  return functions;
}

struct Block {
  unsigned char* begin;
  std::size_t bytes;
  unsigned char content;
};

TEST_CASE("Blocks of matrix memory begin at a cache line or a huge page, and never overlap") {
  const MatrixMemory memory = huge_pages();
  std::mt19937 random(1);
  std::vector<Block> blocks;
  for (int step = 0; step < 3000; ++step) {
    if (!blocks.empty() && random() % 5 < 2) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      const Block last = blocks.back();
      REQUIRE(std::all_of(last.begin, last.begin + last.bytes, [&](unsigned char c) { return c == last.content; }));
      memory.release(last.begin, last.bytes);
      blocks.pop_back();
    } else {
      const std::size_t bytes = step % 500 == 0 ? kHugePage + random() % 100 : 1 + random() % 20000;
      auto* const begin = static_cast<unsigned char*>(memory.allocate(bytes));
      REQUIRE(begin != nullptr);
      const std::size_t alignment = bytes < kHugePage ? 64 : kHugePage;
      REQUIRE(reinterpret_cast<std::uintptr_t>(begin) % alignment == 0);
      blocks.push_back({begin, bytes, static_cast<unsigned char>(step)});
      std::fill_n(begin, bytes, blocks.back().content);
    }
  }
  for (const Block& block : blocks) {
    REQUIRE(std::all_of(block.begin, block.begin + block.bytes, [&](unsigned char c) { return c == block.content; }));
    memory.release(block.begin, block.bytes);
  }
}

TEST_CASE("Released neighbours become one block again") {
  const MatrixMemory memory = huge_pages();
  constexpr std::size_t kSize = std::size_t{1} << 20;
  std::vector<void*> small;
  for (int i = 0; i < 64; ++i) {
    small.push_back(memory.allocate(kSize / 8));  // a region of 8 MiB
  }
  const auto [first, last] = std::ranges::minmax(small);
  for (void* const block : small) {
    memory.release(block, kSize / 8);
  }
  std::vector<void*> large;
  for (int i = 0; i < 4; ++i) {
    large.push_back(memory.allocate(kSize));
    CHECK((large.back() >= first && large.back() <= last));
  }
  for (void* const block : large) {
    memory.release(block, kSize);
  }
}

TEST_CASE("A matrix gives its memory back where it came from") {
  auto kept = std::make_unique<Buffer<float>>(10, 10);  // from the functions of before
  const MatrixMemory before = matrix_memory;
  use_huge_pages();
  Buffer<float> other(10, 10);
  matrix_memory = before;
  kept->resize(100, 100);
  other.resize(100, 100);
  kept->fill(1);
  other.fill(2);
  CHECK(kept->eigen().sum() == 10000);
  CHECK(other.eigen().sum() == 20000);
}

}  // namespace
