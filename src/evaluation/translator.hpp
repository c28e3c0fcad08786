#pragma once

#include <span>
#include <string>
#include <vector>

#include "decoding/search.hpp"
#include "text/tokenizer.hpp"

namespace glassformer {

/// One translation of a line.
struct Translation {
  std::string text;
  double log_probability = 0;  ///< of the pieces found and, unless cut off, of eos, given the line
  double score = 0;            ///< see Hypothesis
};

/// Text to text: encodes each line, adds eos, searches, and decodes the settings.n_best best hypotheses, best first. An
/// empty line (or one of white space only) has one translation, which is empty and certain.
std::vector<std::vector<Translation>> translate_n_best(const Model<float>& model, const TokenizerPair& tokenizers,
                                                       const DecodingSettings& settings,
                                                       std::span<const std::string> lines);

/// The best of each alone. One line out for each line in, in the same order.
std::vector<std::string> translate_lines(const Model<float>& model, const TokenizerPair& tokenizers,
                                         const DecodingSettings& settings, std::span<const std::string> lines);

}  // namespace glassformer
