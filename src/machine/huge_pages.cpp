// Memory for matrices in pages of 2 MiB.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>

#include "glassformer/machine/memory.hpp"
#include "glassformer/machine/system.hpp"
#include "glassformer/numerics/memory.hpp"

namespace glassformer {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kCacheLine = 64;

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Returns null if there is not enough memory.
void* allocate_pages(std::size_t bytes) {
  void* const memory = std::aligned_alloc(kHugePage, round_up(bytes, kHugePage));
  if (memory != nullptr) {
    ask_for_huge_pages(memory, round_up(bytes, kHugePage));
  }
  return memory;
}

/// Blocks of less than a huge page, cut out of regions that consist of huge pages. malloc would give them ordinary
/// pages; a model has hundreds of such matrices, and the processor would spend up to a tenth of its time looking up
/// pages. The memory of released blocks is used again, but never given back to the system.
class SmallBlocks {
 public:
  /// Returns null if there is not enough memory.
  void* allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const std::size_t size = round_up(bytes, kCacheLine);
    auto best = free_.end();  // the smallest block that is large enough
    for (auto block = free_.begin(); block != free_.end(); ++block) {
      if (block->second >= size && (best == free_.end() || block->second < best->second)) {
        best = block;
      }
    }
    if (best == free_.end()) {
      auto* const region = static_cast<std::byte*>(allocate_pages(kRegion));
      if (region == nullptr) {
        return nullptr;
      }
      best = add(region, kRegion);
    }
    const auto [begin, whole] = *best;
    free_.erase(best);
    if (whole > size) {
      free_.emplace(begin + size, whole - size);
    }
    return begin;
  }

  void release(void* block, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    add(static_cast<std::byte*>(block), round_up(bytes, kCacheLine));
  }

 private:
  using Blocks = std::map<std::byte*, std::size_t>;  // addresses and bytes
  static constexpr std::size_t kRegion = 4 * kHugePage;

  /// Adds a free block, and joins it to the free blocks beside it.
  Blocks::iterator add(std::byte* begin, std::size_t size) {
    auto next = free_.lower_bound(begin);
    if (next != free_.end() && next->first == begin + size) {
      size += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == begin) {
        before->second += size;
        return before;
      }
    }
    return free_.emplace_hint(next, begin, size);
  }

  std::mutex mutex_;
  Blocks free_;
};

/// Never destroyed, because some matrices live until the program ends.
SmallBlocks& small_blocks() {
  static auto* const blocks = new SmallBlocks;
  return *blocks;
}

}  // namespace

void use_huge_pages() {
  matrix_memory.allocate = [](std::size_t bytes) {
    return bytes < kHugePage ? small_blocks().allocate(bytes) : allocate_pages(bytes);
  };
  matrix_memory.release = [](void* block, std::size_t bytes) {
    if (bytes < kHugePage) {
      small_blocks().release(block, bytes);
    } else {
      std::free(block);
    }
  };
}

}  // namespace glassformer
