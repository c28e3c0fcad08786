#pragma once

#include "glassformer/checkpoint/training_state.hpp"
#include "glassformer/report/metrics.hpp"
#include "glassformer/settings/run.hpp"

namespace glassformer {

/// The metric by which the config chooses the best checkpoint.
double chosen_metric(Metric metric, const ValidationMetrics& metrics);
/// Whether these metrics are better than the best ones so far. If the chosen metrics are equal, the lower loss is
/// better. NaN is never better, nor is any metric with a loss that is not finite.
bool is_better(Metric metric, const ValidationMetrics& metrics, const RunProgress& progress);

}  // namespace glassformer
