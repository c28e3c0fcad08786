#pragma once

#include <bitset>
#include <filesystem>

#include "machine/machine.hpp"

/// What each operating system does in its own way: linux.cpp or posix.cpp. They also define use_huge_pages,
/// resident_memory and memory_left.
namespace glassformer {

using Processors = std::bitset<1024>;  ///< by number
/// The processors this process may run on. None: unknown.
Processors allowed_processors();

/// Restarts this program with the core for AVX2. Returns only if that fails.
void restart_without_avx512(char** arguments);

}  // namespace glassformer
