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
// Three rules come from sacreBLEU. The means cover only those n for which both sides have n-grams (effective order,
// "eff:yes"). If a reference is too short to have an n-gram, those of its hypothesis are not counted, because nothing
// could match them. Of several references, each sentence counts the one that gives it the highest chrF (of equal ones,
// the first).
//
// Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation", WMT.

#include "glassformer/evaluation/chrf.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>
#include <unordered_map>

#include "glassformer/files/utf8.hpp"
#include "glassformer/words/words.hpp"

namespace glassformer {
namespace {

/// The n-grams of some hypotheses and their references, for one n.
struct NgramCounts {
  Index hypothesis = 0, reference = 0;
  Index matches = 0;  ///< the sum, over all distinct n-grams, of the smaller of the two counts
};
using CharacterCounts = std::array<NgramCounts, 6>;  // for n = 1 ... 6

/// The sentence's characters without white space.
std::u32string characters(const std::string& sentence, bool lowercase) {
  const std::string text = lowercase ? lower_case(sentence) : sentence;
  std::u32string characters;
  for (const std::string_view word : split_words(text)) {
    characters += code_points(word);
  }
  return characters;
}

CharacterCounts count_characters(std::u32string_view hypothesis, std::u32string_view reference) {
  CharacterCounts counts;
  for (std::size_t n = 1; n <= counts.size(); ++n) {
    NgramCounts& count = counts[n - 1];
    std::unordered_map<std::u32string_view, Index> unmatched;  // n-grams of the reference, with counts
    for (std::size_t i = 0; i + n <= reference.size(); ++i, ++count.reference) {
      ++unmatched[reference.substr(i, n)];
    }
    if (count.reference == 0) {
      continue;
    }
    for (std::size_t i = 0; i + n <= hypothesis.size(); ++i, ++count.hypothesis) {
      const auto found = unmatched.find(hypothesis.substr(i, n));
      if (found == unmatched.end() || found->second == 0) {
        continue;
      }
      --found->second;
      ++count.matches;
    }
  }
  return counts;
}

/// chrF_2 in percent.
double f_score(const CharacterCounts& counts) {
  double precision = 0;
  double recall = 0;  // sums over n first, then means
  int orders = 0;
  for (const NgramCounts& count : counts) {
    if (count.hypothesis == 0 || count.reference == 0) {
      continue;
    }
    precision += static_cast<double>(count.matches) / static_cast<double>(count.hypothesis);
    recall += static_cast<double>(count.matches) / static_cast<double>(count.reference);
    ++orders;
  }
  if (precision == 0) {
    return 0;  // nothing matches, so recall is 0 as well
  }
  precision /= orders;
  recall /= orders;
  constexpr double kBetaSquared = 4;
  // In sacreBLEU's order of operations, so that the same one of two equally good references counts.
  return 100 * ((1 + kBetaSquared) * precision * recall / (kBetaSquared * precision + recall));
}

}  // namespace

Chrf corpus_chrf(TextLines hypotheses, std::span<const TextLines> references, bool lowercase) {
  CharacterCounts sum;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const std::u32string hypothesis = characters(hypotheses[i], lowercase);
    CharacterCounts best;
    double best_score = -1;
    for (const TextLines text : references) {
      assert(text.size() == hypotheses.size());
      const CharacterCounts counts = count_characters(hypothesis, characters(text[i], lowercase));
      const double score = f_score(counts);
      if (score > best_score) {
        best = counts;
      }
      best_score = std::max(best_score, score);
    }
    for (std::size_t n = 0; n < sum.size(); ++n) {
      sum[n].hypothesis += best[n].hypothesis;
      sum[n].reference += best[n].reference;
      sum[n].matches += best[n].matches;
    }
  }
  return {.score = f_score(sum),
          .signature = make_signature(references.size(), lowercase, "eff:yes|nc:6|nw:0|space:no")};
}

std::string Chrf::line() const { return fmt::format("chrF2|{} = {:.2f}", signature, score); }

}  // namespace glassformer
