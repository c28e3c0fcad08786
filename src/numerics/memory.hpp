#pragma once

#include <cstddef>

namespace glassformer {

/// If not null, this function is called for each new block of 2 MiB or more before the block is used. A program can ask
/// for huge pages here. The block begins at a multiple of 2 MiB.
inline void (*prepare_large_memory)(void* memory, std::size_t bytes) = nullptr;

/// Allocates at least `bytes` bytes, aligned to a cache line. Release them with std::free. Throws std::bad_alloc.
void* allocate_matrix_memory(std::size_t bytes);

}  // namespace glassformer
