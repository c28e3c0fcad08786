#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "evaluation/settings.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// A sentence as a sequence of symbols: numbered words for BLEU, code points for chrF.
using Symbols = std::u32string;

/// The n-grams (runs of n symbols) of a hypothesis and its reference, for one n.
struct NgramCounts {
  Index hypothesis = 0;  ///< n-grams of the hypothesis
  Index reference = 0;   ///< n-grams of the reference
  Index matches = 0;     ///< the sum, over all distinct n-grams, of the smaller of the two counts
};

/// Counts the n-grams of one pair of sentences: counts[0] is for n = 1, and so on.
void count_ngrams(std::u32string_view hypothesis, std::u32string_view reference, std::span<NgramCounts> counts);

/// BLEU of a corpus, and its parts, which bleu.cpp explains.
struct Bleu {
  static constexpr int kOrders = 4;  ///< n-grams of 1, 2, 3 and 4 words

  double score = 0;                          ///< 0 to 100, higher is better
  std::array<double, kOrders> precisions{};  ///< percent, for n = 1, 2, 3, 4; smoothed
  double brevity_penalty = 0;                ///< 0 to 1
  Index hypothesis_length = 0;               ///< words of all hypotheses
  Index reference_length = 0;                ///< words of all references
  std::array<Index, kOrders> matches{};      ///< n-grams of the hypotheses that match the references
  std::array<Index, kOrders> totals{};       ///< n-grams of the hypotheses
  /// How it was computed: nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:glassformer-0.2.0
  std::string signature;

  /// All of this on one line, in sacreBLEU's format:
  /// BLEU|nrefs:1|... = 41.02 71.0/47.5/34.3/24.5 (BP = 0.999 ratio = 0.999 hyp_len = 12096 ref_len = 12103)
  std::string line() const;
};

/// BLEU (Papineni et al. 2002) as sacreBLEU defines it: one reference, n up to 4, smoothing "exp", effective order off.
/// Texts are UTF-8, not tokenized beforehand unless the tokenizer is `none`.
/// \pre as many hypotheses as references; hypothesis i translates the same sentence as reference i
Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 const EvaluationSettings& settings = {});

/// The tokenisation called 13a, after NIST's scoring script mteval-v13a.pl. WMT and sacreBLEU use it for scoring.
/// It separates punctuation from words by simple rules for ASCII characters:
///
///   They paid 1,000.50 dollars (cash).  ->  They paid 1,000.50 dollars ( cash ) .
///
/// Returns the line with spaces added; split_words() then gives the tokens.
std::string tokenize_13a(std::string_view line);

/// chrF of a corpus.
struct Chrf {
  double score = 0;       ///< 0 to 100, higher is better
  std::string signature;  ///< nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:glassformer-0.2.0

  /// chrF2|nrefs:1|... = 63.21, in sacreBLEU's format
  std::string line() const;
};

/// chrF2 (Popović 2015) of a corpus as sacreBLEU defines it: one reference, character n-grams up to n = 6
/// without white space, no word n-grams, beta = 2. Texts are UTF-8 and are not tokenized.
/// \pre as many hypotheses as references; hypothesis i translates the same sentence as reference i
Chrf corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 bool lowercase = false);

}  // namespace glassformer
