#pragma once

#include <bitset>
#include <filesystem>

#include "glassformer/machine/machine.hpp"

/// Functions that differ between operating systems, in linux.cpp and posix.cpp. These files also define use_huge_pages,
/// resident_memory, memory_left and program_file.
namespace glassformer {

using Processors = std::bitset<1024>;  ///< by number
/// The processors this process may run on. None: unknown.
Processors allowed_processors();

/// Restarts this program with the core for AVX2. Returns only if that fails.
void restart_without_avx512(char** arguments);

}  // namespace glassformer
