#pragma once

#include <string>
#include <vector>

#include "glassformer/text/tokenizer.hpp"

namespace glassformer {

/// What happens to sentences that a tokenizer encodes and decodes.
struct RoundTrip {
  Index changed = 0;       ///< sentences that come back with other words
  Index with_unknown = 0;  ///< of those, sentences with unknown words
  std::string example;     ///< the first difference: "X" becomes "Y"
};

/// Encodes and decodes each sentence.
RoundTrip round_trip(const std::vector<std::string>& sentences, const Tokenizer& tokenizer);

}  // namespace glassformer
