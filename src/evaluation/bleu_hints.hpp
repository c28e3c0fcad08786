#pragma once

#include <string>

#include "glassformer/evaluation/bleu.hpp"

namespace glassformer {

/// A hint if BLEU is 0, or cannot rise above what smoothing gives, because no hypothesis or no reference has the four
/// words that it needs: the reason, and what to set. Otherwise empty.
std::string why_bleu_is_low(const Bleu& bleu);

/// A warning if BLEU splits text only at white space (`none`), but half of the lines or more end in a full stop, a
/// question mark or an exclamation mark that is attached to a word, as in plain text. Otherwise empty.
std::string looks_untokenized(TextLines lines, const EvaluationSettings& settings);

}  // namespace glassformer
