#pragma once

#include <string>
#include <string_view>

namespace glassformer {

/// The tokenisation called 13a, after NIST's scoring script mteval-v13a.pl; WMT and sacreBLEU score with it.
/// It parts punctuation from words with plain rules on ASCII characters, so that every text is cut the same
/// way, whoever made it:
///
///   They paid 1,000.50 dollars (cash).  ->  They paid 1,000.50 dollars ( cash ) .
///
/// Returns the line with blanks added; split_words() then gives the tokens.
std::string tokenize_13a(std::string_view line);

}  // namespace glassformer
