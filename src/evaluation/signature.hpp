#pragma once

#include <string>
#include <string_view>

/// A BLEU compares with nothing unless its tokenisation, case and smoothing are known: the same output can
/// score 26 or 29 (Post 2018, "A Call for Clarity in Reporting BLEU Scores"). sacreBLEU's answer is the
/// signature, a line that names every choice. Ours has the same fields; the version says that glassformer did
/// the counting.
namespace glassformer {

inline constexpr std::string_view kScorer = "glassformer-" GLASSFORMER_VERSION;  // the build sets the version

/// nrefs:1|case:mixed|CHOICES|version:glassformer-0.1.0
inline std::string make_signature(bool lowercase, std::string_view choices) {
  return std::string("nrefs:1|case:") + (lowercase ? "lc" : "mixed") + '|' + std::string(choices) +
         "|version:" + std::string(kScorer);
}

}  // namespace glassformer
