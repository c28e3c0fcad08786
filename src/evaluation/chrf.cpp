// chrF compares characters where BLEU compares words. A wrong ending (grünen, grüner) costs a little instead of a whole
// word, and nobody has to agree on a tokenisation.
//
// White space is removed, so n-grams can span several words. For n = 1 ... 6, over the whole corpus:
//
//   precision_n = matches_n / n-grams of the hypotheses        recall_n = matches_n / n-grams of the references
//
// with the same clipped matches as BLEU. Precision P and recall R are the means over n, and
//
//   chrF_beta = (1 + beta^2) * P * R / (beta^2 * P + R)        beta = 2: recall weighs more than precision
//
// Two rules for short sentences come from sacreBLEU. The means cover only those n for which both sides have n-grams
// (effective order, "eff:yes"). If a reference is too short to have an n-gram, those of its hypothesis are not counted,
// because nothing could match them.
//
// Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation", WMT.

#include <spdlog/fmt/fmt.h>

#include <cassert>

#include "evaluation/scores.hpp"
#include "files/utf8.hpp"

namespace glassformer {
namespace {

constexpr std::size_t kOrders = 6;
using CharacterCounts = std::array<NgramCounts, kOrders>;

/// The sentence's characters without white space.
Symbols characters(const std::string& sentence, bool lowercase) {
  const std::string text = lowercase ? lower_case(sentence) : sentence;
  Symbols symbols;
  for (const std::string_view word : split_words(text)) symbols += code_points(word);
  return symbols;
}

/// chrF_2 in percent.
double f_score(const CharacterCounts& counts) {
  double precision = 0, recall = 0;  // sums over n first, then means
  int orders = 0;
  for (const NgramCounts& count : counts) {
    if (count.hypothesis == 0 || count.reference == 0) continue;
    precision += static_cast<double>(count.matches) / static_cast<double>(count.hypothesis);
    recall += static_cast<double>(count.matches) / static_cast<double>(count.reference);
    ++orders;
  }
  if (precision == 0) return 0;  // nothing matches, so recall is 0 as well
  precision /= orders;
  recall /= orders;
  constexpr double kBetaSquared = 4;
  return 100 * (1 + kBetaSquared) * precision * recall / (kBetaSquared * precision + recall);
}

}  // namespace

Chrf corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references, bool lowercase) {
  assert(hypotheses.size() == references.size());
  CharacterCounts sum;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    CharacterCounts counts;
    count_ngrams(characters(hypotheses[i], lowercase), characters(references[i], lowercase), counts);
    for (std::size_t n = 0; n < kOrders; ++n) {
      if (counts[n].reference > 0) sum[n].hypothesis += counts[n].hypothesis;
      sum[n].reference += counts[n].reference;
      sum[n].matches += counts[n].matches;
    }
  }
  return {.score = f_score(sum), .signature = make_signature(lowercase, "eff:yes|nc:6|nw:0|space:no")};
}

std::string Chrf::line() const { return fmt::format("chrF2|{} = {:.2f}", signature, score); }

}  // namespace glassformer
