#include "glassformer/run/best_checkpoint.hpp"

#include <array>
#include <cmath>

namespace glassformer {

double chosen_metric(Metric metric, const ValidationMetrics& metrics) {
  const std::array by_metric = {metrics.loss, metrics.perplexity, metrics.token_accuracy, metrics.bleu,
                                metrics.exact_match};  // in the order of Metric
  return by_metric[static_cast<std::size_t>(metric)];
}

bool is_better(Metric metric, const ValidationMetrics& metrics, const RunProgress& progress) {
  const double value = chosen_metric(metric, metrics);
  if (std::isnan(value) || !std::isfinite(metrics.loss)) {
    return false;
  }
  if (progress.best_update == 0) {
    return true;
  }
  if (value == progress.best_metric) {
    return metrics.loss < progress.best_loss;
  }
  const bool lower_is_better = metric == Metric::loss || metric == Metric::perplexity;
  return lower_is_better ? value < progress.best_metric : value > progress.best_metric;
}

}  // namespace glassformer
