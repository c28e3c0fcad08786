#pragma once

#include <span>
#include <string>

namespace glassformer {

/// chrF of a corpus.
struct Chrf {
  double score = 0;       ///< 0 to 100, higher is better
  std::string signature;  ///< nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:glassformer-0.1.0

  /// chrF2|nrefs:1|... = 63.21, in sacreBLEU's form
  std::string line() const;
};

/// chrF2 (Popović 2015) of a corpus as sacreBLEU defines it: one reference, character n-grams up to n = 6
/// without white space, no word n-grams, beta = 2. Texts are UTF-8 and are not tokenized.
/// \pre as many hypotheses as references; hypothesis i translates the same sentence as reference i
Chrf corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 bool lowercase = false);

}  // namespace glassformer
