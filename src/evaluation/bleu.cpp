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

#include "evaluation/bleu.hpp"

#include <spdlog/fmt/fmt.h>

#include <cassert>
#include <cstddef>
#include <regex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "files/utf8.hpp"
#include "numerics/functions.hpp"

namespace glassformer {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view replacement) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + replacement.size()))
    text.replace(at, what.size(), replacement);
}

/// Strips trailing white space (as sacreBLEU does), and lowercases and tokenizes the sentence as configured.
std::string prepare(const std::string& sentence, const EvaluationSettings& settings) {
  std::string text = settings.lowercase ? lower_case(sentence) : sentence;
  const std::vector<std::string_view> words = split_words(text);
  text.resize(words.empty() ? 0 : static_cast<std::size_t>(words.back().end() - text.data()));
  return settings.bleu_tokenizer == BleuTokenizer::tok_13a ? tokenize_13a(text) : text;
}

/// The words of a text as numbers, so that we compare numbers instead of words. `numbers` grows with each new word.
std::u32string number_words(std::string_view text, std::unordered_map<std::string_view, char32_t>& numbers) {
  std::u32string words;
  for (const std::string_view word : split_words(text))
    words += numbers.try_emplace(word, static_cast<char32_t>(numbers.size())).first->second;
  return words;
}

/// Adds the n-grams of a pair of sentences, and how many of them match.
void count_ngrams(std::u32string_view hypothesis, std::u32string_view reference, Bleu& sum) {
  for (std::size_t n = 1; n <= Bleu::kOrders; ++n) {
    std::unordered_map<std::u32string_view, Index> unmatched;  // n-grams of the reference, with counts
    for (std::size_t i = 0; i + n <= reference.size(); ++i) ++unmatched[reference.substr(i, n)];
    for (std::size_t i = 0; i + n <= hypothesis.size(); ++i) {
      ++sum.totals[n - 1];
      const auto found = unmatched.find(hypothesis.substr(i, n));
      if (found == unmatched.end() || found->second == 0) continue;
      --found->second;
      ++sum.matches[n - 1];
    }
  }
}

double compute_brevity_penalty(Index hypothesis_length, Index reference_length) {
  if (hypothesis_length >= reference_length) return 1;
  if (hypothesis_length == 0) return 0;
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

// Every rule matches only ASCII characters. In UTF-8, other characters have no ASCII bytes, so we can match bytes.
std::string tokenize_13a(std::string_view line) {
  std::string text = ' ' + std::string(line) + ' ';
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");  // a word that was hyphenated at the end of a line
  replace_all(text, "\n", " ");
  // &amp; is not replaced last, so &amp;lt; becomes <, as in mteval-v13a.
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");

  // ASCII punctuation, except the apostrophe (don't). The other rules handle comma, dash and full stop.
  static const std::regex punctuation("[!-&(-+/:-@[-`{-~]");
  static const std::regex point_after_other("([^0-9])([.,])"), point_before_other("([.,])([^0-9])");
  static const std::regex dash_after_digit("([0-9])-");
  text = std::regex_replace(text, punctuation, " $& ");
  text = std::regex_replace(text, point_after_other, "$1 $2 ");   // no digit before
  text = std::regex_replace(text, point_before_other, " $1 $2");  // no digit after: 1,000.50 stays whole
  return std::regex_replace(text, dash_after_digit, "$1 - ");     // 1990-95
}

Bleu corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                 const EvaluationSettings& settings) {
  assert(hypotheses.size() == references.size());
  Bleu bleu;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const std::string hypothesis_text = prepare(hypotheses[i], settings);
    const std::string reference_text = prepare(references[i], settings);
    std::unordered_map<std::string_view, char32_t> numbers;
    const std::u32string hypothesis = number_words(hypothesis_text, numbers);
    const std::u32string reference = number_words(reference_text, numbers);
    bleu.hypothesis_length += std::ssize(hypothesis);
    bleu.reference_length += std::ssize(reference);
    count_ngrams(hypothesis, reference, bleu);
  }
  bleu.brevity_penalty = compute_brevity_penalty(bleu.hypothesis_length, bleu.reference_length);
  if (bleu.matches[0] > 0) {  // if no word matches, neither do longer n-grams
    bleu.precisions = smoothed_precisions(bleu);
    double sum_of_logarithms = 0;  // ln 0 = -infinity, and exp(-infinity) = 0
    for (const double precision : bleu.precisions) sum_of_logarithms += log(precision);
    bleu.score = bleu.brevity_penalty * exp(sum_of_logarithms / Bleu::kOrders);
  }
  bleu.signature =
      fmt::format("nrefs:1|case:{}|eff:no|tok:{}|smooth:exp|version:{}", settings.lowercase ? "lc" : "mixed",
                  settings.bleu_tokenizer == BleuTokenizer::tok_13a ? "13a" : "none", kScorer);
  return bleu;
}

std::string Bleu::line() const {
  const double ratio =
      reference_length > 0 ? static_cast<double>(hypothesis_length) / static_cast<double>(reference_length) : 0;
  return fmt::format("BLEU|{} = {:.2f} {:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})", signature, score,
                     fmt::join(precisions, "/"), brevity_penalty, ratio, hypothesis_length, reference_length);
}

}  // namespace glassformer
