#pragma once

#include <array>

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

}  // namespace glassformer
