#include "run/selection.hpp"

#include <cmath>

namespace glassformer {

double chosen_figure(Metric metric, const ValidationFigures& figures) {
  switch (metric) {
    case Metric::loss:
      return figures.loss;
    case Metric::perplexity:
      return figures.perplexity;
    case Metric::token_accuracy:
      return figures.token_accuracy;
    case Metric::bleu:
      return figures.bleu;
    case Metric::exact_match:
      return figures.exact_match;
  }
  return figures.loss;
}

bool is_better(Metric metric, double figure, const RunProgress& progress) {
  if (std::isnan(figure)) return false;
  if (progress.best_update == 0) return true;
  const bool lower_is_better = metric == Metric::loss || metric == Metric::perplexity;
  return lower_is_better ? figure < progress.best_figure : figure > progress.best_figure;
}

}  // namespace glassformer
