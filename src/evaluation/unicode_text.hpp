#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The few things that BLEU and chrF must know of Unicode, each with the meaning that it has in Python, because
/// sacreBLEU is written in Python. All texts are UTF-8. Invalid UTF-8 is no error here: a broken sequence
/// counts as U+FFFD, the replacement character.
namespace glassformer {

/// The words of a text: what stands between runs of white space, as `str.split()`. The views point into `text`.
/// White space is more than the blank: a no-break space and an ideographic space part words as well.
std::vector<std::string_view> split_words(std::string_view text);

/// The text without white space at its end, as `str.rstrip()`.
std::string_view strip_right(std::string_view text);

/// Lower case as `str.lower()`: by the rules of Unicode for no language in particular, whatever the locale of
/// the machine. I becomes i (in Turkish it would not), İ becomes i with a dot above (two code points), and a
/// Greek capital sigma becomes ς at the end of a word, σ elsewhere.
std::string lower_case(std::string_view text);

/// The code points of a text.
std::u32string code_points(std::string_view text);

}  // namespace glassformer
