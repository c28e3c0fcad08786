#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace glassformer {

/// A digest of numbers, like FNV-1a (Fowler, Noll & Vo) but word by word. It notices accidental changes, not malicious
/// ones.
class Digest {
 public:
  Digest& add(std::uint64_t word) {
    value_ = (value_ ^ word) * 1099511628211U;
    return *this;
  }
  /// Bit for bit: 0 and -0 differ.
  Digest& add(std::span<const float> numbers) {
    for (const float number : numbers) {
      add(std::uint64_t{std::bit_cast<std::uint32_t>(number)});
    }
    return *this;
  }
  Digest& add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      add(std::to_integer<std::uint64_t>(byte));
    }
    return *this;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037U;
};

}  // namespace glassformer
