// BLEU asks how many n-grams (runs of n words) of a translation also occur in the reference.
//
// 1. Modified n-gram precision (Papineni et al. 2002, ACL), for n = 1, 2, 3, 4:
//
//            matches_n     sum of min(count of g in hypothesis, count of g in reference)
//      p_n = ---------  =  -------------------------------------------------------------
//            totals_n                      sum of count of g in hypothesis
//
//    Both sums run over all sentences of the corpus and, in each, over all distinct n-grams g. Without the min, the
//    hypothesis "the the the the the the the" for "the cat is on the mat" would have a precision of 7/7, not 2/7.
//
// 2. Brevity penalty, because short translations easily reach a high precision. With c words in all hypotheses and r
//    words in all references, BP = 1 if c >= r, else exp(1 - r / c).
//
// 3. BLEU = BP * exp(1/4 * sum_n ln p_n): the geometric mean of the precisions, times the penalty. Counts are summed
//    over the corpus first, so the BLEU of a corpus is not the mean of its sentences' BLEU scores.
//
// 4. Smoothing "exp" (method 3 of Chen & Cherry 2014, WMT). One p_n = 0 would make the whole mean 0. So the k-th order
//    without a match gets p_n = 1 / (2^k * totals_n). A corpus without any match, or whose hypotheses are all too short
//    to have a 4-gram, still scores 0.
//
// 5. With several references, an n-gram may match as often as it occurs in the reference that has most of it, and r
//    counts the reference whose length is closest to the hypothesis's (the shorter one of two that are equally close).

#include "glassformer/evaluation/bleu.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "glassformer/evaluation/bleu_tokenizers.hpp"
#include "glassformer/files/utf8.hpp"
#include "glassformer/numerics/functions.hpp"
#include "glassformer/words/words.hpp"

namespace glassformer {
namespace {

/// Strips trailing white space (as sacreBLEU does), and lowercases and tokenizes the sentence as configured.
std::string prepare(const std::string& sentence, const EvaluationSettings& settings) {
  std::string text = settings.lowercase ? lower_case(sentence) : sentence;
  const std::vector<std::string_view> words = split_words(text);
  text.resize(words.empty() ? 0 : static_cast<std::size_t>(words.back().end() - text.data()));
  switch (settings.bleu_tokenizer) {
    case BleuTokenizer::none:
      break;
    case BleuTokenizer::tok_13a:
      return tokenize_13a(text);
    case BleuTokenizer::zh:
      return tokenize_zh(text);
    case BleuTokenizer::character:
      return spaced_characters(text);
  }
  return text;
}

/// The words of a text as numbers, so that we compare numbers instead of words. `numbers` grows with each new word.
std::u32string number_words(std::string_view text, std::unordered_map<std::string_view, char32_t>& numbers) {
  std::u32string words;
  for (const std::string_view word : split_words(text)) {
    words += numbers.try_emplace(word, static_cast<char32_t>(numbers.size())).first->second;
  }
  return words;
}

/// How often each n-gram of the references may match: as often as it occurs in one of them.
std::unordered_map<std::u32string_view, Index> largest_counts(std::span<const std::u32string> references,
                                                              std::size_t n) {
  std::unordered_map<std::u32string_view, Index> largest;
  for (const std::u32string_view reference : references) {
    std::unordered_map<std::u32string_view, Index> counts;
    for (std::size_t i = 0; i + n <= reference.size(); ++i) {
      const std::u32string_view ngram = reference.substr(i, n);
      largest[ngram] = std::max(largest[ngram], ++counts[ngram]);
    }
  }
  return largest;
}

/// Adds the n-grams of a hypothesis, and how many of them match its references.
void count_ngrams(std::u32string_view hypothesis, std::span<const std::u32string> references, Bleu& sum) {
  for (std::size_t n = 1; n <= Bleu::kOrders; ++n) {
    auto unmatched = largest_counts(references, n);
    for (std::size_t i = 0; i + n <= hypothesis.size(); ++i) {
      ++sum.totals[n - 1];
      const auto found = unmatched.find(hypothesis.substr(i, n));
      if (found == unmatched.end() || found->second == 0) {
        continue;
      }
      --found->second;
      ++sum.matches[n - 1];
    }
  }
}

/// Adds the lengths of a hypothesis and of the reference that is closest in length.
void count_words(std::u32string_view hypothesis, std::span<const std::u32string> references, Bleu& sum) {
  const Index length = std::ssize(hypothesis);
  Index closest = std::ssize(references.front());
  for (const std::u32string& reference : references) {
    const Index other = std::ssize(reference);
    const Index difference = std::abs(length - other) - std::abs(length - closest);
    if (difference < 0 || (difference == 0 && other < closest)) {
      closest = other;
    }
    sum.longest_reference = std::max(sum.longest_reference, other);
  }
  sum.hypothesis_length += length;
  sum.reference_length += closest;
  sum.longest_hypothesis = std::max(sum.longest_hypothesis, length);
}

double compute_brevity_penalty(Index hypothesis_length, Index reference_length) {
  if (hypothesis_length >= reference_length) {
    return 1;
  }
  if (hypothesis_length == 0) {
    return 0;
  }
  return exp(1 - static_cast<double>(reference_length) / static_cast<double>(hypothesis_length));
}

/// p_n in percent; 0 if no hypothesis is long enough to have an n-gram.
std::array<double, Bleu::kOrders> smoothed_precisions(const Bleu& bleu) {
  std::array<double, Bleu::kOrders> precisions{};
  double power_of_two = 1;  // 2^k
  for (std::size_t n = 0; n < precisions.size() && bleu.totals[n] > 0; ++n) {
    const auto total = static_cast<double>(bleu.totals[n]);
    if (bleu.matches[n] > 0) {
      precisions[n] = 100 * static_cast<double>(bleu.matches[n]) / total;
    } else {
      power_of_two *= 2;
      precisions[n] = 100 / (power_of_two * total);
    }
  }
  return precisions;
}

}  // namespace

Bleu corpus_bleu(TextLines hypotheses, std::span<const TextLines> references, const EvaluationSettings& settings) {
  Bleu bleu;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    std::unordered_map<std::string_view, char32_t> numbers;  // its keys point into these texts
    const std::string hypothesis_text = prepare(hypotheses[i], settings);
    std::vector<std::string> reference_texts;
    for (const TextLines text : references) {
      assert(text.size() == hypotheses.size());
      reference_texts.push_back(prepare(text[i], settings));
    }
    const std::u32string hypothesis = number_words(hypothesis_text, numbers);
    std::vector<std::u32string> of_references;
    for (const std::string& text : reference_texts) {
      of_references.push_back(number_words(text, numbers));
    }
    count_words(hypothesis, of_references, bleu);
    count_ngrams(hypothesis, of_references, bleu);
  }
  bleu.brevity_penalty = compute_brevity_penalty(bleu.hypothesis_length, bleu.reference_length);
  if (bleu.matches[0] > 0) {  // if no word matches, neither do longer n-grams
    bleu.precisions = smoothed_precisions(bleu);
    double sum_of_logarithms = 0;  // ln 0 = -infinity, and exp(-infinity) = 0
    for (const double precision : bleu.precisions) {
      sum_of_logarithms += log(precision);
    }
    bleu.score = bleu.brevity_penalty * exp(sum_of_logarithms / Bleu::kOrders);
  }
  const std::string tokenizer = kBleuTokenizerNames[static_cast<std::size_t>(settings.bleu_tokenizer)];
  bleu.signature = make_signature(references.size(), settings.lowercase, "eff:no|tok:" + tokenizer + "|smooth:exp");
  return bleu;
}

std::string make_signature(std::size_t references, bool lowercase, std::string_view choices) {
  return fmt::format("nrefs:{}|case:{}|{}|version:{}", references, lowercase ? "lc" : "mixed", choices, kScorer);
}

std::string Bleu::line() const {
  const double ratio =
      reference_length > 0 ? static_cast<double>(hypothesis_length) / static_cast<double>(reference_length) : 0;
  return fmt::format("BLEU|{} = {:.2f} {:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})", signature, score,
                     fmt::join(precisions, "/"), brevity_penalty, ratio, hypothesis_length, reference_length);
}

}  // namespace glassformer
