#include "training/limits.hpp"

#include <algorithm>

namespace glassformer {

std::optional<std::string> end_reached(const TrainingSettings& settings, const Progress& progress, double minutes) {
  const Index patience = settings.validation.patience;
  if (settings.max_updates > 0 && progress.update >= settings.max_updates) return "training.max_updates are done";
  if (settings.max_epochs > 0 && progress.epoch >= settings.max_epochs) return "training.max_epochs are done";
  if (settings.max_minutes > 0 && minutes >= settings.max_minutes) return "training.max_minutes are over";
  if (patience > 0 && progress.without_best >= patience) {
    return std::to_string(patience) + " validations without a new best (training.validation.patience)";
  }
  return std::nullopt;
}

double share_done(const TrainingSettings& settings, const Progress& progress, Index batches, double minutes) {
  double done = 0;
  if (settings.max_updates > 0) {
    done = std::max(done, static_cast<double>(progress.update) / static_cast<double>(settings.max_updates));
  }
  if (settings.max_epochs > 0) {
    const double epoch = batches == 0 ? 0 : static_cast<double>(progress.batch) / static_cast<double>(batches);
    done = std::max(done, (static_cast<double>(progress.epoch) + epoch) / static_cast<double>(settings.max_epochs));
  }
  if (settings.max_minutes > 0) done = std::max(done, minutes / settings.max_minutes);
  return std::min(done, 1.0);
}

}  // namespace glassformer
