#pragma once

#include "checkpoint/training_state.hpp"
#include "report/figures.hpp"
#include "settings/run.hpp"

namespace glassformer {

/// The figure by which the config chooses the best checkpoint.
double chosen_figure(Metric metric, const ValidationFigures& figures);
/// Whether these figures are better than the best ones so far. If the chosen figures are equal, the lower loss is
/// better. NaN is never better, nor is any figure with a loss that is not finite.
bool is_better(Metric metric, const ValidationFigures& figures, const RunProgress& progress);

}  // namespace glassformer
