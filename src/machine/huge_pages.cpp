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

/// Cuts blocks out of regions of huge pages. (malloc gives a matrix of less than 2 MiB ordinary pages. A model has
/// hundreds of such matrices; the processor would spend a tenth of its time looking up pages.)
class HugePages {
 public:
  /// Returns null if there is not enough memory.
  void* allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const std::size_t size = round_up(std::max(bytes, kCacheLine), kCacheLine);
    auto best = free_.end();  // the smallest block that is large enough
    for (auto block = free_.begin(); block != free_.end(); ++block) {
      if (block->second >= size && (best == free_.end() || block->second < best->second)) {
        best = block;
      }
    }
    if (best == free_.end()) {
      best = add_region(size);
      if (best == free_.end()) {
        return nullptr;
      }
    }
    const auto [begin, whole] = *best;
    free_.erase(best);
    if (whole > size) {
      free_[begin + size] = whole - size;
    }
    return begin;
  }

  void release(void* block, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    add(static_cast<std::byte*>(block), round_up(std::max(bytes, kCacheLine), kCacheLine));
  }

 private:
  using Blocks = std::map<std::byte*, std::size_t>;

  Blocks::iterator add_region(std::size_t size) {
    const std::size_t bytes = round_up(size, 2 * kHugePage);
    auto* const region = static_cast<std::byte*>(std::aligned_alloc(kHugePage, bytes));
    if (region == nullptr) {
      return free_.end();
    }
    ask_for_huge_pages(region, bytes);
    return add(region, bytes);
  }

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
  Blocks free_;  // by address
};

/// Never destroyed: matrices may outlive all other objects.
HugePages& huge_pages() {
  static auto* const pages = new HugePages;
  return *pages;
}

}  // namespace

void use_huge_pages() {
  matrix_memory = {[](std::size_t bytes) { return huge_pages().allocate(bytes); },
                   [](void* block, std::size_t bytes) { huge_pages().release(block, bytes); }};
}

}  // namespace glassformer
