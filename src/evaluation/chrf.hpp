#pragma once

#include <span>
#include <string>

#include "glassformer/evaluation/bleu.hpp"

namespace glassformer {

/// chrF of a corpus.
struct Chrf {
  double score = 0;       ///< 0 to 100, higher is better
  std::string signature;  ///< nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:glassformer-0.2.0

  /// chrF2|nrefs:1|... = 63.21, in sacreBLEU's format
  std::string line() const;
};

/// chrF2 (Popović 2015) of a corpus as sacreBLEU defines it: character n-grams up to n = 6 without white space, no word
/// n-grams, beta = 2. Texts are UTF-8 and are not tokenized. `references` are one or more texts.
/// \pre every text has as many lines as `hypotheses`; line i of each translates the same sentence
Chrf corpus_chrf(TextLines hypotheses, std::span<const TextLines> references, bool lowercase = false);

}  // namespace glassformer
