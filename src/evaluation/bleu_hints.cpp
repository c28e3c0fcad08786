#include "glassformer/evaluation/bleu_hints.hpp"

#include <spdlog/fmt/fmt.h>

#include <vector>

#include "glassformer/words/words.hpp"

namespace glassformer {

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

}  // namespace glassformer
