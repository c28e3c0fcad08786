#include "glassformer/run/limits.hpp"

#include <algorithm>

namespace glassformer {

std::optional<std::string> end_reached(const TrainingPlan& plan, const RunProgress& progress, double minutes) {
  const RunSettings& run = plan.run;
  const Index max_updates = plan.training.max_updates;
  const Index patience = run.validation.patience;
  if (max_updates > 0 && progress.update >= max_updates) {
    return "reached training.max_updates";
  }
  if (run.max_epochs > 0 && progress.epoch >= run.max_epochs) {
    return "reached training.max_epochs";
  }
  if (run.max_minutes > 0 && minutes >= run.max_minutes) {
    return "reached training.max_minutes";
  }
  if (patience > 0 && progress.without_best >= patience) {
    return std::to_string(patience) + " validations without a new best (training.validation.patience)";
  }
  return std::nullopt;
}

double fraction_done(const TrainingPlan& plan, const RunProgress& progress, Index batches, double minutes) {
  const auto fraction = [](double done, auto limit) { return limit > 0 ? done / static_cast<double>(limit) : 0; };
  const double epochs = static_cast<double>(progress.epoch) + fraction(static_cast<double>(progress.batch), batches);
  return std::min(1.0, std::max({fraction(static_cast<double>(progress.update), plan.training.max_updates),
                                 fraction(epochs, plan.run.max_epochs), fraction(minutes, plan.run.max_minutes)}));
}

}  // namespace glassformer
