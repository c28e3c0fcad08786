#pragma once

#include <cstddef>

namespace glassformer {

/// Where the memory of matrices comes from. Blocks are aligned to a cache line, which is also the size of the largest
/// vector register.
struct MatrixMemory {
  /// Returns at least `bytes` bytes, or null if there is not enough memory.
  void* (*allocate)(std::size_t bytes);
  void (*release)(void* block, std::size_t bytes);
};

/// The C library's memory. A program can put its own functions here before it creates the first matrix.
extern MatrixMemory matrix_memory;

/// Allocates a block by matrix_memory. \throws std::bad_alloc
void* allocate_matrix_memory(std::size_t bytes);

}  // namespace glassformer
