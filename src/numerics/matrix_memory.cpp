#include "numerics/matrix_memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace glassformer {
namespace {

constexpr std::size_t kCacheLine = 64;  // bytes; also the widest vector register
constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

void* allocate_matrix_memory(std::size_t bytes) {
  const std::size_t alignment = bytes < kHugePage ? kCacheLine : kHugePage;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, whole);
  if (memory == nullptr && whole > 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (alignment == kHugePage) madvise(memory, whole, MADV_HUGEPAGE);  // a wish: without it, only speed is lost
#endif
  return memory;
}

void free_matrix_memory(void* memory) { std::free(memory); }

}  // namespace glassformer
