#pragma once

#include <ostream>

#include "explanation/explanation.hpp"

namespace glassformer {

/// Prints one screen of 80 columns about the first two pairs: their tokens, masks, answers and losses. The page shows
/// everything else.
void write_screen(const ExplainedModel& explained, const Explanation& explanation, std::ostream& output);

}  // namespace glassformer
