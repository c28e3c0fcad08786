#pragma once

#include <cstdint>

#include "glassformer/numerics/index.hpp"

/// The counter-based random number generator Philox4x32-10 (Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers:
/// as easy as 1, 2, 3", section 3.3).
namespace glassformer {

/// Turns `count` counters of four words into random words: words[k][j] holds word k of counter j and becomes its random
/// word k. Each of the ten rounds multiplies two words, mixes in the key and swaps; then the key advances. The loop
/// over the counters is innermost, so that the compiler can vectorize it.
template <Index count>
void philox(std::uint32_t key_0, std::uint32_t key_1, std::uint32_t (&words)[4][count]) {
  constexpr int kRounds = 10;
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kKeyStep0 = 0x9E3779B9;  // the fractional part of the golden ratio, times 2^32
  constexpr std::uint32_t kKeyStep1 = 0xBB67AE85;  // the fractional part of sqrt(3), times 2^32
  for (int round = 0; round < kRounds; ++round) {
    for (Index j = 0; j < count; ++j) {
      const std::uint64_t left = words[0][j] * kMultiplier0;
      const std::uint64_t right = words[2][j] * kMultiplier1;
      words[0][j] = static_cast<std::uint32_t>(right >> 32) ^ words[1][j] ^ key_0;
      words[1][j] = static_cast<std::uint32_t>(right);
      words[2][j] = static_cast<std::uint32_t>(left >> 32) ^ words[3][j] ^ key_1;
      words[3][j] = static_cast<std::uint32_t>(left);
    }
    key_0 += kKeyStep0;
    key_1 += kKeyStep1;
  }
}

}  // namespace glassformer
