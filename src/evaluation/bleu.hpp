#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "numerics/matrix.hpp"

namespace glassformer {

/// How BLEU splits text into words.
enum class BleuTokenizer {
  none,     ///< at white space, for text that is already tokenized
  tok_13a,  ///< sacreBLEU's default, for plain text. See tokenize_13a
};

/// How translations are compared with references.
struct EvaluationSettings {
  BleuTokenizer bleu_tokenizer = BleuTokenizer::tok_13a;
  bool lowercase = false;  ///< BLEU ignores case

  bool operator==(const EvaluationSettings&) const = default;
};

inline constexpr std::string_view kScorer = "glassformer-" GLASSFORMER_VERSION;  // the build sets the version

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
  /// (Post 2018, "A Call for Clarity in Reporting BLEU Scores")
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

}  // namespace glassformer
