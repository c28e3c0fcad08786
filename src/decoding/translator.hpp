#pragma once

#include <span>
#include <string>
#include <vector>

#include "decoding/search.hpp"
#include "text/tokenizer.hpp"

namespace glassformer {

/// Text to text: encodes each line, adds eos, searches, and decodes the best hypothesis. One line out for each line
/// in, in the same order; an empty line (or one of white space only) stays empty.
std::vector<std::string> translate_lines(const Transformer<float>& model,
                                         const Transformer<float>::Parameters& parameters,
                                         const TokenizerPair& tokenizers, const DecodingSettings& settings,
                                         std::span<const std::string> lines);

}  // namespace glassformer
