#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "glassformer/numerics/matrix.hpp"
#include "glassformer/settings/evaluation.hpp"

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

/// The start of a signature like sacreBLEU's, and its end: nrefs:1|case:mixed|CHOICES|version:glassformer-0.2.0
std::string make_signature(std::size_t references, bool lowercase, std::string_view choices);

}  // namespace glassformer
