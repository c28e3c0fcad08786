#pragma once

#include <string>
#include <string_view>

namespace glassformer {

/// How BLEU splits text into words.
enum class BleuTokenizer {
  none,     ///< at white space, for text that is already tokenized
  tok_13a,  ///< sacreBLEU's default, for plain text. See tokenize_13a
};

/// How translations are compared with references.
struct EvaluationSettings {
  BleuTokenizer bleu_tokenizer = BleuTokenizer::tok_13a;
  bool lowercase = false;  ///< BLEU and chrF ignore case

  bool operator==(const EvaluationSettings&) const = default;
};

inline constexpr std::string_view kScorer = "glassformer-" GLASSFORMER_VERSION;  // the build sets the version

/// A signature like sacreBLEU's, which names every choice (Post 2018, "A Call for Clarity in Reporting BLEU Scores"):
/// nrefs:1|case:mixed|CHOICES|version:glassformer-0.2.0
inline std::string make_signature(bool lowercase, std::string_view choices) {
  return std::string("nrefs:1|case:") + (lowercase ? "lc" : "mixed") + '|' + std::string(choices) +
         "|version:" + std::string(kScorer);
}

}  // namespace glassformer
