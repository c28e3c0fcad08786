#include "glassformer/training/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "glassformer/batching/plan.hpp"
#include "glassformer/training/schedule.hpp"

namespace glassformer {

Trainer::Trainer(Model<float>& model, const TrainingSettings& settings, const SentencePairs& pairs, const Ranks& ranks)
    : model_(model),
      settings_(settings),
      pairs_(pairs),
      gradient_(model, settings, ranks),
      optimizer_(settings.optimizer, model.weights.tensors()) {}

bool Trainer::continue_from(const Progress& progress) {
  if (progress.batch > 0) {
    std::vector<std::vector<Index>> batches = batches_of(progress.epoch);
    if (progress.batch >= std::ssize(batches)) {
      return false;
    }
    batches_ = std::move(batches);
    planned_ = progress.epoch;
  }
  progress_ = progress;
  gradient_.clear();
  return true;
}

std::vector<std::vector<Index>> Trainer::batches_of(Index epoch) const {
  return plan_epoch(pairs_, settings_.max_tokens, settings_.seed, epoch);
}

std::span<const std::vector<Index>> Trainer::next_batches() {
  if (planned_ != progress_.epoch) {
    batches_ = batches_of(progress_.epoch);
    planned_ = progress_.epoch;
  }
  const std::span rest = batches().subspan(static_cast<std::size_t>(progress_.batch));
  return rest.first(std::min(static_cast<std::size_t>(settings_.accumulation), rest.size()));
}

void Trainer::run_shards() {
  gradient_.run_shards(pairs_, next_batches(), {settings_.seed, static_cast<std::uint32_t>(progress_.update + 1)});
}

Trainer::Update Trainer::step() {
  const std::span next = next_batches();
  ++progress_.update;
  const ShardedGradient::Step step{settings_.seed, static_cast<std::uint32_t>(progress_.update)};

  // Runs every sentence forward and backward. The loss is summed over target tokens; the gradient is that of the mean.
  const ShardedGradient::Result result = gradient_.compute(pairs_, next, step);
  const double norm = euclidean_norm(gradient_.gradient());
  const double rate = learning_rate(settings_.schedule, settings_.max_updates, progress_.update);

  // One overflow would make every weight NaN for good, so an update with an overflow does not change the weights. Adam
  // does not count it either: t is the number of times that m and v have changed. (v holds squares of the clipped
  // gradient, so the square of its norm must be finite, too.)
  const double clipped = settings_.optimizer.clip_norm > 0 ? std::min(norm, settings_.optimizer.clip_norm) : norm;
  const bool skipped = !std::isfinite(result.loss.loss + norm) || !std::isfinite(static_cast<float>(clipped * clipped));
  if (skipped) {
    ++progress_.skipped;
    ++progress_.skipped_in_row;
  } else {
    const Index t = progress_.update - progress_.skipped;
    // Clips the gradient to clip_norm, which is why it needs the norm, then changes the weights.
    optimizer_.update(model_.weights.values(), gradient_.gradient(), norm, rate, t);
    progress_.skipped_in_row = 0;
  }

  progress_.batch += std::ssize(next);
  if (progress_.batch == std::ssize(batches_)) {
    progress_.batch = 0;
    ++progress_.epoch;
  }
  return {result.loss, result.tokens, norm, rate, skipped, next, step};
}

}  // namespace glassformer
