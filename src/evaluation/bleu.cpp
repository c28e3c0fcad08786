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

#include "evaluation/bleu.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <regex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "files/utf8.hpp"
#include "numerics/functions.hpp"

namespace glassformer {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view replacement) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + replacement.size())) {
    text.replace(at, what.size(), replacement);
  }
}

/// The text with a space after each character.
std::string spaced_characters(std::string_view text) {
  std::string spaced;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    next_character(text, end);
    spaced.append(text.substr(begin, end - begin)) += ' ';
  }
  return spaced;
}

/// What sacreBLEU's zh treats as a Chinese character. Its table has two ranges that are meant to be beyond U+FFFF, but
/// that Python reads as U+2001 to U+2A6D (quotation marks, dashes, arrows) and as U+2F81 to U+2FA1.
bool is_chinese(std::int32_t c) {
  constexpr std::array<std::pair<std::int32_t, std::int32_t>, 17> kRanges = {{
      {0x2001, 0x2A6D},
      {0x2E80, 0x2EFF},
      {0x2F00, 0x2FDF},
      {0x2FF0, 0x2FFF},
      {0x3000, 0x303F},
      {0x3100, 0x312F},
      {0x31A0, 0x31BF},
      {0x31C0, 0x31EF},
      {0x3200, 0x33FF},
      {0x3400, 0x4DB5},
      {0x4E00, 0x9FBB},
      {0xF900, 0xFA2D},
      {0xFA30, 0xFA6A},
      {0xFA70, 0xFAD9},
      {0xFE10, 0xFE1F},
      {0xFE30, 0xFE4F},
      {0xFF00, 0xFFEF},
  }};
  return std::ranges::any_of(kRanges, [&](const auto& range) { return c >= range.first && c <= range.second; });
}

/// Sets ASCII punctuation apart. Every rule matches only ASCII characters. In UTF-8, other characters have no ASCII
/// bytes, so we can match bytes.
std::string separate_punctuation(std::string text) {
  // ASCII punctuation, except the apostrophe (don't). The other rules handle comma, dash and full stop.
  static const std::regex punctuation("[!-&(-+/:-@[-`{-~]");
  static const std::regex point_after_other("([^0-9])([.,])");
  static const std::regex point_before_other("([.,])([^0-9])");
  static const std::regex dash_after_digit("([0-9])-");
  text = std::regex_replace(text, punctuation, " $& ");
  text = std::regex_replace(text, point_after_other, "$1 $2 ");   // no digit before
  text = std::regex_replace(text, point_before_other, " $1 $2");  // no digit after: 1,000.50 stays whole
  return std::regex_replace(text, dash_after_digit, "$1 - ");     // 1990-95
}

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
  return separate_punctuation(std::move(text));
}

std::string tokenize_zh(std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  if (words.empty()) {
    return "";
  }
  std::string text;  // 13a's rules need a character beside a full stop or comma, so white space at the ends matters
  const std::string_view stripped(words.front().data(),
                                  static_cast<std::size_t>(words.back().end() - words.front().begin()));
  for (std::size_t begin = 0, end = 0; begin < stripped.size(); begin = end) {
    const bool chinese = is_chinese(next_character(stripped, end));
    text += chinese ? " " : "";
    text += stripped.substr(begin, end - begin);
    text += chinese ? " " : "";
  }
  return separate_punctuation(std::move(text));
}

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

std::string why_bleu_is_low(const Bleu& bleu) {
  if (bleu.longest_reference >= Bleu::kOrders) {
    if (bleu.longest_hypothesis >= Bleu::kOrders) {
      return "";
    }
    return fmt::format(
        "BLEU is 0 because no translation has four words: the longest has {}, the longest reference {}; the model "
        "needs more training, or other text",
        bleu.longest_hypothesis, bleu.longest_reference);
  }
  return fmt::format(
      "BLEU counts runs of four words, but the longest reference has {}, so BLEU stays at or near 0 however good the "
      "translations are; if the text has no spaces between words, set evaluation.bleu_tokenizer to zh (Chinese) or "
      "char; if its sentences are this short, judge by the loss, exact_match or chrF",
      bleu.longest_reference);
}

std::string looks_untokenized(TextLines lines, const EvaluationSettings& settings) {
  if (settings.bleu_tokenizer != BleuTokenizer::none) {
    return "";
  }
  std::size_t all = 0;
  std::size_t sticking = 0;
  for (const std::string& line : lines) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.empty()) {
      continue;
    }
    ++all;
    const std::string_view last = words.back();
    const bool is_mark = last.find_last_of(".?!") == last.size() - 1;
    if (last.size() > 1 && is_mark && std::string_view(".?!").find(last[last.size() - 2]) == std::string_view::npos) {
      ++sticking;
    }
  }
  if (sticking == 0 || 2 * sticking < all) {
    return "";
  }
  return fmt::format(
      "BLEU splits words only at spaces (evaluation.bleu_tokenizer is none), but in {} of {} references the final "
      "punctuation mark is attached to a word; for plain text, set it to 13a",
      sticking, all);
}

std::string Bleu::line() const {
  const double ratio =
      reference_length > 0 ? static_cast<double>(hypothesis_length) / static_cast<double>(reference_length) : 0;
  return fmt::format("BLEU|{} = {:.2f} {:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})", signature, score,
                     fmt::join(precisions, "/"), brevity_penalty, ratio, hypothesis_length, reference_length);
}

}  // namespace glassformer
