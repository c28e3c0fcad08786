#include "run/limits.hpp"

#include <algorithm>

namespace glassformer {

std::optional<std::string> end_reached(const Config& config, const RunProgress& progress, double minutes) {
  const Index patience = config.run.validation.patience;
  if (config.training.max_updates > 0 && progress.update >= config.training.max_updates)
    return "training.max_updates are done";
  if (config.run.max_epochs > 0 && progress.epoch >= config.run.max_epochs) return "training.max_epochs are done";
  if (config.run.max_minutes > 0 && minutes >= config.run.max_minutes) return "training.max_minutes are over";
  if (patience > 0 && progress.without_best >= patience) {
    return std::to_string(patience) + " validations without a new best (training.validation.patience)";
  }
  return std::nullopt;
}

double share_done(const Config& config, const RunProgress& progress, Index batches, double minutes) {
  double done = 0;
  if (config.training.max_updates > 0) {
    done = std::max(done, static_cast<double>(progress.update) / static_cast<double>(config.training.max_updates));
  }
  if (config.run.max_epochs > 0) {
    const double epoch = batches == 0 ? 0 : static_cast<double>(progress.batch) / static_cast<double>(batches);
    done = std::max(done, (static_cast<double>(progress.epoch) + epoch) / static_cast<double>(config.run.max_epochs));
  }
  if (config.run.max_minutes > 0) done = std::max(done, minutes / config.run.max_minutes);
  return std::min(done, 1.0);
}

}  // namespace glassformer
