#pragma once

// Included at the top of every file of a mutated copy of src (see planting.py). A mutant is a small mistake with a
// number. All mutants of the copy are compiled; the environment variable GLASSFORMER_MUTANT names the one that is on.
// If GLASSFORMER_MUTANTS_REACHED names a file of kMost bytes, byte n becomes 1 once a program reaches mutant n.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <type_traits>

namespace glassformer::mutants {

constexpr int kMost = 65536;

inline int active = [] {
  const char* const text = std::getenv("GLASSFORMER_MUTANT");
  return text == nullptr ? 0 : std::atoi(text);
}();

inline char nobody_asks[kMost];
inline char* reached = [] {
  const char* const path = std::getenv("GLASSFORMER_MUTANTS_REACHED");
  if (path == nullptr) {
    return nobody_asks;
  }
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  void* const bytes = ::mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return bytes == MAP_FAILED ? nobody_asks : static_cast<char*>(bytes);
}();

/// Also for constexpr functions: in constant expressions, no mutant is on.
constexpr bool on(int number) {
  if (std::is_constant_evaluated()) {
    return false;
  }
  reached[number] = 1;
  return active == number;
}

}  // namespace glassformer::mutants
