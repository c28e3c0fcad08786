#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "numerics/matrix.hpp"
#include "settings/evaluation.hpp"

namespace glassformer {

inline constexpr std::string_view kScorer = "glassformer-" GLASSFORMER_VERSION;  // the build sets the version

/// A text, line by line.
using TextLines = std::span<const std::string>;

/// BLEU of a corpus, and its parts, which bleu.cpp explains.
struct Bleu {
  static constexpr int kOrders = 4;  ///< n-grams of 1, 2, 3 and 4 words

  double score = 0;                          ///< 0 to 100, higher is better
  std::array<double, kOrders> precisions{};  ///< percent, for n = 1, 2, 3, 4; smoothed
  double brevity_penalty = 0;                ///< 0 to 1
  Index hypothesis_length = 0;               ///< words of all hypotheses
  Index reference_length = 0;                ///< words of all references; of several, the one closest in length counts
  std::array<Index, kOrders> matches{};      ///< n-grams of the hypotheses that match the references
  std::array<Index, kOrders> totals{};       ///< n-grams of the hypotheses
  Index longest_hypothesis = 0;              ///< words of the longest hypothesis
  Index longest_reference = 0;               ///< words of the longest reference
  /// How it was computed: nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:glassformer-0.2.0
  /// (Post 2018, "A Call for Clarity in Reporting BLEU Scores")
  std::string signature;

  /// All of this on one line, in sacreBLEU's format:
  /// BLEU|nrefs:1|... = 41.02 71.0/47.5/34.3/24.5 (BP = 0.999 ratio = 0.999 hyp_len = 12096 ref_len = 12103)
  std::string line() const;
};

/// BLEU (Papineni et al. 2002) as sacreBLEU defines it: n up to 4, smoothing "exp", effective order off. Texts are
/// UTF-8, not tokenized beforehand unless the tokenizer is `none`. `references` are one or more texts. \pre every text
/// has as many lines as `hypotheses`; line i of each translates the same sentence
Bleu corpus_bleu(TextLines hypotheses, std::span<const TextLines> references, const EvaluationSettings& settings = {});
/// The same with one reference for each sentence.
inline Bleu corpus_bleu(TextLines hypotheses, TextLines references, const EvaluationSettings& settings = {}) {
  return corpus_bleu(hypotheses, std::span(&references, 1), settings);
}

/// A hint if BLEU is 0, or cannot rise above what smoothing gives, because no hypothesis or no reference has the four
/// words that it needs: the reason, and what to set. Otherwise empty.
std::string why_bleu_is_low(const Bleu& bleu);

/// A warning if BLEU splits text only at white space (`none`), but half of the lines or more end in a full stop, a
/// question mark or an exclamation mark that sticks to a word, as plain text does. Otherwise empty.
std::string looks_untokenized(TextLines lines, const EvaluationSettings& settings);

/// The start of a signature like sacreBLEU's, and its end: nrefs:1|case:mixed|CHOICES|version:glassformer-0.2.0
std::string make_signature(std::size_t references, bool lowercase, std::string_view choices);

/// The tokenisation called 13a, after NIST's scoring script mteval-v13a.pl. WMT and sacreBLEU use it for scoring.
/// It separates punctuation from words by simple rules for ASCII characters:
///
///   They paid 1,000.50 dollars (cash).  ->  They paid 1,000.50 dollars ( cash ) .
///
/// Returns the line with spaces added; split_words() then gives the tokens.
std::string tokenize_13a(std::string_view line);

/// sacreBLEU's tokenisation for Chinese: each Chinese character and each full-width mark is a word; the rest is split
/// by the rules of 13a, but for its replacements. Returns the line with spaces added.
std::string tokenize_zh(std::string_view line);

}  // namespace glassformer
