#pragma once

#include <string>
#include <string_view>

/// How BLEU splits text into words. Each function returns the line with spaces added; split_words() then gives the
/// tokens.
namespace glassformer {

/// The tokenisation called 13a, after NIST's scoring script mteval-v13a.pl. WMT and sacreBLEU use it for scoring.
/// It separates punctuation from words by simple rules for ASCII characters:
///
///   They paid 1,000.50 dollars (cash).  ->  They paid 1,000.50 dollars ( cash ) .
std::string tokenize_13a(std::string_view line);

/// sacreBLEU's tokenisation for Chinese: each Chinese character and each full-width mark is a word; the rest is split
/// by the rules of 13a, but for its replacements.
std::string tokenize_zh(std::string_view line);

/// Every character is a word.
std::string spaced_characters(std::string_view text);

}  // namespace glassformer
