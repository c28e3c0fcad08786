#pragma once

#include <bitset>
#include <cstddef>

/// Functions that differ between operating systems, in linux.cpp and posix.cpp. These files also define the functions
/// of memory.hpp, and program_file.
namespace glassformer {

using Processors = std::bitset<1024>;  ///< by number
/// The processors this process may run on. None: unknown.
Processors allowed_processors();

/// Asks the kernel to back this memory, which begins at a multiple of 2 MiB, with pages of that size.
void ask_for_huge_pages(void* memory, std::size_t bytes);

/// Restarts this program with the core for AVX2. Returns only if that fails.
void restart_without_avx512(char** arguments);

}  // namespace glassformer
