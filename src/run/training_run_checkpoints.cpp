// How a TrainingRun writes checkpoints, and the mean of the last ones.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>

#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/parameters.hpp"
#include "glassformer/run/digests.hpp"
#include "glassformer/run/training_run.hpp"

namespace glassformer {

void TrainingRun::write_checkpoint(bool best) {
  progress_.minutes = minutes();
  const TrainingState state{trainer_.optimizer().m(), trainer_.optimizer().v(), progress_};
  const std::filesystem::path checkpoint = directory_.checkpoint(progress_.update);
  try {
    save_checkpoint(checkpoint, plan_.describe_model, model_.weights, &state);
  } catch (const std::exception&) {
    directory_.require_in_place();  // if it was moved meanwhile, the disk's error would explain nothing
    throw;
  }
  record_weights(directory_, progress_.update, model_.weights);
  // In this order, so that a run killed in between resumes from the previous checkpoint and repeats these steps.
  if (best) {
    directory_.point("best", checkpoint);
  }
  directory_.point("last", checkpoint);
  if (!saved_.interim.empty() && saved_.interim != checkpoint.filename()) {
    directory_.remove(directory_.path() / saved_.interim);
  }
  prune_checkpoints();
  saved_ = {progress_.update, {}};
}

void TrainingRun::prune_checkpoints() const {
  directory_.prune(std::max(plan_.run.checkpoints.keep, plan_.run.checkpoints.average));
}

void TrainingRun::average_checkpoints() {
  std::vector<std::filesystem::path> checkpoints = directory_.checkpoints();
  const auto count = std::min(checkpoints.size(), static_cast<std::size_t>(plan_.run.checkpoints.average));
  if (std::ssize(checkpoints) < plan_.run.checkpoints.average) {
    spdlog::info("training.checkpoints.average is {}, but this run has only {} checkpoint{}{}",
                 plan_.run.checkpoints.average, count, count == 1 ? "" : "s",
                 count < 2 ? ", so there is no mean" : "; their mean is computed");
  }
  if (count < 2) {
    return;  // the mean of one checkpoint is that checkpoint
  }
  checkpoints.erase(checkpoints.begin(), checkpoints.end() - static_cast<std::ptrdiff_t>(count));

  Model<float> mean(model_.settings, model_.vocabulary);
  average_parameters(checkpoints, mean.weights.tensors(), mean.weights.values().data());
  const std::filesystem::path checkpoint = directory_.average(progress_.update);
  save_checkpoint(checkpoint, plan_.describe_model, mean.weights);

  if (!text_.has_valid()) {
    record_average(directory_, progress_.update, checkpoints, false, mean.weights);
    spdlog::info("mean of the last {} checkpoints: {}", count, checkpoint.string());
    return;
  }
  const ValidationMetrics metrics = metrics_of(validate(mean));
  const bool better = is_new_best(metrics);
  record_average(directory_, progress_.update, checkpoints, better, mean.weights);
  if (better) {
    directory_.point("best", checkpoint);
    write_checkpoint(false);  // a resumed run then has to beat the mean
  }
  const std::string translated = plan_.run.validation.translate ? fmt::format(", BLEU {:.2f}, exact match {:.2f}%",
                                                                              metrics.bleu, 100 * metrics.exact_match)
                                                                : "";
  spdlog::info("mean of the last {} checkpoints, in {}: loss {:.4f}{}{}", count, checkpoint.string(), metrics.loss,
               translated, better ? "; the best so far, so the link best points to it" : "");
}

}  // namespace glassformer
