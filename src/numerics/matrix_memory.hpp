#pragma once

#include <cstddef>

/// Memory of matrices.
namespace glassformer {

/// At least `bytes` bytes that begin at a cache line; give them back to free_matrix_memory. Throws std::bad_alloc.
///
/// From 2 MiB on, they begin at a huge page, and the kernel is asked to use such pages. A page of 4 KiB holds a tenth
/// of a row of logits, and the processor remembers where some tens of pages are: it would look them up at every step.
void* allocate_matrix_memory(std::size_t bytes);

/// Gives it back; null is nothing.
void free_matrix_memory(void* memory);

}  // namespace glassformer
