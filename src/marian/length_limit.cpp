#include "glassformer/marian/length_limit.hpp"

#include <algorithm>

#include "glassformer/decoding/search.hpp"

namespace glassformer {
namespace {

constexpr Index kBosAndEos = 2;

}  // namespace

Index longest_output(const DecodingSettings& decoding, Index max_length) {
  return longest_translation(decoding, max_length + 1) + kBosAndEos;
}

Index longest_source(const DecodingSettings& decoding, Index output) {
  const Index beyond_ratio = longest_translation(decoding, 1) + kBosAndEos;  // of an empty source
  const auto within_ratio = static_cast<double>(std::max<Index>(0, output - beyond_ratio));
  return std::max<Index>(1, static_cast<Index>(within_ratio / decoding.max_length_ratio));
}

}  // namespace glassformer
