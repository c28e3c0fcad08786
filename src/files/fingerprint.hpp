#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "glassformer/verification/digest.hpp"

namespace glassformer {

/// A digest of lines, numbers or both, in order. It detects accidental changes, not malicious ones.
class Fingerprint {
 public:
  Fingerprint& mix(std::uint64_t number) {
    digest_.add(number);
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
    digest_.add(numbers);
    return *this;
  }
  std::uint64_t value() const { return digest_.value(); }

 private:
  Digest digest_;
};

}  // namespace glassformer
