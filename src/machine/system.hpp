#pragma once

#include <bitset>
#include <filesystem>
#include <string>

#include "machine/machine.hpp"

/// What each operating system does in its own way: linux.cpp or posix.cpp. They also define use_huge_pages,
/// resident_memory and memory_left.
namespace glassformer {

using Processors = std::bitset<1024>;  ///< by number
/// The processors this process may run on. None: unknown.
Processors allowed_processors();

/// Starts this program anew with the core for AVX2. Returns if that is impossible.
void restart_without_avx512(char** arguments);

/// Keeps the smallest limit seen.
void consider(MemoryLeft& left, std::int64_t bytes, const std::string& limit);
/// Considers a limit of getrlimit, of which so many bytes are used.
void consider_ulimit(MemoryLeft& left, int resource, std::int64_t used, const std::string& name);

}  // namespace glassformer
