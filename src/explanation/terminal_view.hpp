#pragma once

#include <optional>
#include <ostream>

#include "explanation/explanation.hpp"

namespace glassformer {

/// How much of it is shown.
struct TerminalViewOptions {
  Index columns = 80;
  std::optional<Index> layer;  ///< whose attention is shown, from 0; the last one unless given
};

/// The explanation as text: tokens and the right shift, the three masks, attention as shaded cells, the likeliest
/// tokens, the loss by token, gradient norms by tensor. A line that does not fit into so many columns ends in "…".
void write_terminal_view(const ExplainedModel& explained, const Explanation& explanation,
                         const TerminalViewOptions& options, std::ostream& output);

}  // namespace glassformer
