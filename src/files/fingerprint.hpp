#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

namespace glassformer {

/// FNV-1a hash (Fowler, Noll & Vo) of what is mixed in, in order. It detects accidental changes, not malicious ones.
class Fingerprint {
 public:
  Fingerprint& mix(std::uint64_t number) {
    value_ = (value_ ^ number) * 1099511628211U;
    return *this;
  }
  /// Byte by byte, then a newline.
  Fingerprint& mix(std::string_view line) {
    for (const char byte : line) {
      mix(static_cast<std::uint64_t>(static_cast<unsigned char>(byte)));
    }
    return mix(std::uint64_t{'\n'});
  }
  /// Bit for bit: 0 and -0 differ.
  Fingerprint& mix(std::span<const float> numbers) {
    for (const float number : numbers) {
      mix(std::uint64_t{std::bit_cast<std::uint32_t>(number)});
    }
    return *this;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037U;
};

}  // namespace glassformer
