#include "glassformer/numerics/memory.hpp"

#include <cstdlib>
#include <new>

#include "glassformer/numerics/errors.hpp"

namespace glassformer {

void* allocate_matrix_memory(std::size_t bytes) {
  constexpr std::size_t kCacheLine = 64;  // also the size of the largest vector register
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  const std::size_t alignment = bytes < kHugePage ? kCacheLine : kHugePage;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, whole);
  if (memory == nullptr && whole > 0) {
    throw_or_abort(std::bad_alloc());
  }
  if (alignment == kHugePage && prepare_large_memory != nullptr) {
    prepare_large_memory(memory, whole);
  }
  return memory;
}

}  // namespace glassformer
