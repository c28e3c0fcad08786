#include "run/best_checkpoint.hpp"

#include <array>
#include <cmath>

namespace glassformer {

double chosen_figure(Metric metric, const ValidationFigures& figures) {
  const std::array by_metric = {figures.loss, figures.perplexity, figures.token_accuracy, figures.bleu,
                                figures.exact_match};  // in the order of Metric
  return by_metric[static_cast<std::size_t>(metric)];
}

bool is_better(Metric metric, const ValidationFigures& figures, const RunProgress& progress) {
  const double figure = chosen_figure(metric, figures);
  if (std::isnan(figure) || !std::isfinite(figures.loss)) {
    return false;
  }
  if (progress.best_update == 0) {
    return true;
  }
  if (figure == progress.best_figure) {
    return figures.loss < progress.best_loss;
  }
  const bool lower_is_better = metric == Metric::loss || metric == Metric::perplexity;
  return lower_is_better ? figure < progress.best_figure : figure > progress.best_figure;
}

}  // namespace glassformer
