#include "heap_count.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define GLASSFORMER_COUNTS_HEAP
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef GLASSFORMER_COUNTS_HEAP
#endif
#endif
#endif

#ifndef GLASSFORMER_COUNTS_HEAP

std::int64_t glassformer::heap_allocations() { return -1; }
std::int64_t glassformer::heap_bytes() { return -1; }

#else

#include <malloc.h>

// The tests allocate through these functions, which count and then call glibc's own. (operator new and Eigen call
// them too.) glibc's own functions free the memory.
namespace {
std::atomic<std::int64_t> allocations{0};
void count() { allocations.fetch_add(1, std::memory_order_relaxed); }
}  // namespace

std::int64_t glassformer::heap_allocations() { return allocations.load(std::memory_order_relaxed); }

std::int64_t glassformer::heap_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<std::int64_t>(now.uordblks + now.hblkhd);
}

// NOLINTBEGIN(*): these are glibc's names
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  count();
  return __libc_calloc(n, size);
}
void* realloc(void* memory, std::size_t size) {
  count();
  return __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  void* const memory = memalign(alignment, size);
  if (memory == nullptr) {
    return ENOMEM;
  }
  *result = memory;
  return 0;
}

}  // extern "C"

// NOLINTEND(*)

#endif
