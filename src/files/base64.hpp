#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace glassformer {

/// The bytes in base64 (RFC 4648), on one line.
std::string base64_of(std::span<const std::byte> bytes);

}  // namespace glassformer
