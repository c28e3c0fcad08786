#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "page/explanation.hpp"

namespace glassformer {

/// Prints one screen of 80 columns about the first two pairs: their tokens, masks, answers and losses. The page shows
/// everything else.
void write_screen(const ExplainedModel& explained, const Explanation& explanation, std::ostream& output);

// Text in columns. A character counts as one column, so a line with wide characters comes out a little longer.

/// Replaces control characters, which could do anything to a terminal, by U+FFFD.
std::string printable(std::string_view text);

/// The first `columns` characters. If anything is cut, the last one is "…".
std::string cut_to(std::string_view text, Index columns);

/// cut_to, padded with spaces to `columns`.
std::string fit(std::string_view text, Index columns);

}  // namespace glassformer
