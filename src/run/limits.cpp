#include "run/limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace glassformer {

std::optional<std::string> end_reached(const RunSettings& run, Index max_updates, const RunProgress& progress,
                                       double minutes) {
  const Index patience = run.validation.patience;
  if (max_updates > 0 && progress.update >= max_updates) return "training.max_updates are done";
  if (run.max_epochs > 0 && progress.epoch >= run.max_epochs) return "training.max_epochs are done";
  if (run.max_minutes > 0 && minutes >= run.max_minutes) return "training.max_minutes are over";
  if (patience > 0 && progress.without_best >= patience)
    return std::to_string(patience) + " validations without a new best (training.validation.patience)";
  return std::nullopt;
}

double share_done(const RunSettings& run, Index max_updates, const RunProgress& progress, Index batches,
                  double minutes) {
  const auto share = [](double done, auto limit) { return limit > 0 ? done / static_cast<double>(limit) : 0; };
  const double epochs = static_cast<double>(progress.epoch) + share(static_cast<double>(progress.batch), batches);
  return std::min(1.0, std::max({share(static_cast<double>(progress.update), max_updates),
                                 share(epochs, run.max_epochs), share(minutes, run.max_minutes)}));
}

double chosen_figure(Metric metric, const ValidationFigures& figures) {
  const std::array by_metric = {figures.loss, figures.perplexity, figures.token_accuracy, figures.bleu,
                                figures.exact_match};  // in the order of Metric
  return by_metric[static_cast<std::size_t>(metric)];
}

bool is_better(Metric metric, double figure, const RunProgress& progress) {
  if (std::isnan(figure)) return false;
  if (progress.best_update == 0) return true;
  const bool lower_is_better = metric == Metric::loss || metric == Metric::perplexity;
  return lower_is_better ? figure < progress.best_figure : figure > progress.best_figure;
}

}  // namespace glassformer
