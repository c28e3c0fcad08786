#pragma once

#include <cstdint>

namespace glassformer {

/// How often this process has allocated heap memory with malloc or a related function, on any thread, from any library.
/// -1 if allocations are not counted, because the C library is not glibc or a sanitizer has replaced malloc.
std::int64_t heap_allocations();

/// The bytes of heap memory that are in use; -1 as above.
std::int64_t heap_bytes();

}  // namespace glassformer
