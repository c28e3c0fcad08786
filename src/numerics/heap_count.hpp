#pragma once

#include <cstdint>

namespace glassformer {

/// How many times this process has asked for heap memory so far: every malloc and its relatives, on any thread, by
/// whatever library. (Where the C library is not glibc, or a sanitizer watches the heap itself: -1.)
std::int64_t heap_allocations();

}  // namespace glassformer
