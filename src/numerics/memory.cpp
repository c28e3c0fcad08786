#include "glassformer/numerics/memory.hpp"

#include <cstdlib>
#include <new>

#include "glassformer/numerics/errors.hpp"

namespace glassformer {
namespace {

void* allocate_lines(std::size_t bytes) {
  constexpr std::size_t kCacheLine = 64;
  return std::aligned_alloc(kCacheLine, (bytes + kCacheLine - 1) / kCacheLine * kCacheLine);
}

}  // namespace

MatrixMemory matrix_memory{allocate_lines, [](void* block, std::size_t /*bytes*/) { std::free(block); }};

void* allocate_matrix_memory(std::size_t bytes) {
  void* const block = matrix_memory.allocate(bytes);
  if (block == nullptr && bytes > 0) {
    throw_or_abort(std::bad_alloc());
  }
  return block;
}

}  // namespace glassformer
