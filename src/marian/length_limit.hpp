#pragma once

#include "glassformer/decoding/settings.hpp"

namespace glassformer {

/// How many tokens a translation of the longest training sentence can have, bos and eos included. The library's configs
/// have such a fixed limit; ours grows with the source. `max_length`: data.max_length
Index longest_output(const DecodingSettings& decoding, Index max_length);

/// The longest source whose longest translation has `output` tokens, bos and eos included. Inverts longest_output.
Index longest_source(const DecodingSettings& decoding, Index output);

}  // namespace glassformer
