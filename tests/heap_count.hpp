#pragma once

#include <cstdint>

namespace glassformer {

/// How often this process has allocated heap memory: every malloc and its relatives, on any thread, from any library.
/// -1 if nobody counts: the C library is not glibc, or a sanitizer has replaced malloc.
std::int64_t heap_allocations();

}  // namespace glassformer
