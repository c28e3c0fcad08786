#pragma once

#include <array>

#include "glassformer/schema/setting.hpp"

namespace glassformer {

/// How BLEU splits text into words, as sacreBLEU's tokenizers of the same names do.
enum class BleuTokenizer {
  none,       ///< at white space, for text that is already tokenized
  tok_13a,    ///< sacreBLEU's default, for plain text with spaces between words. See tokenize_13a
  zh,         ///< for Chinese. See tokenize_zh
  character,  ///< every character is a word: for other text without spaces between words
};
inline constexpr std::array<const char*, 4> kBleuTokenizerNames = {"none", "13a", "zh", "char"};  ///< in this order

/// How translations are compared with references.
struct EvaluationSettings {
  BleuTokenizer bleu_tokenizer = BleuTokenizer::tok_13a;
  bool lowercase = false;  ///< BLEU and chrF ignore case

  bool operator==(const EvaluationSettings&) const = default;
};

/// Lists the fields: see schema/setting.hpp.
void for_each_setting(EvaluationSettings& evaluation, const auto& visit) {
  visit("bleu_tokenizer", "13a (plain text) | none (tokenized) | zh (Chinese) | char (no spaces)",
        evaluation.bleu_tokenizer, kBleuTokenizerNames);
  visit("lowercase", "true: BLEU and chrF ignore case", evaluation.lowercase);
}

}  // namespace glassformer
