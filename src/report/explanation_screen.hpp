#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "glassformer/page/explanation.hpp"

/// What `explain` prints in the terminal.
namespace glassformer {

/// Prints one screen, 80 columns wide, about the first two pairs: their tokens, masks, predictions and losses.
void write_screen(const ExplainedModel& explained, const Explanation& explanation, std::ostream& output);

// Text in columns. Each character counts as one column, so a line with wide characters is wider than it should be.

/// At most `columns` characters of the text. If it is cut, the last one is "…".
std::string cut_to(std::string_view text, Index columns);
/// cut_to, padded with spaces to `columns`.
std::string fit(std::string_view text, Index columns);

}  // namespace glassformer
