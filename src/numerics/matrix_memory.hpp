#pragma once

#include <cstddef>

/// Memory of matrices.
namespace glassformer {

/// What a program may do with large memory before it is used, such as asking for huge pages: called with each memory of
/// 2 MiB or more, which begins at a multiple of 2 MiB. Null: nothing.
inline void (*prepare_large_memory)(void* memory, std::size_t bytes) = nullptr;

/// At least `bytes` bytes that begin at a cache line; give them back to std::free. Throws std::bad_alloc.
void* allocate_matrix_memory(std::size_t bytes);

}  // namespace glassformer
