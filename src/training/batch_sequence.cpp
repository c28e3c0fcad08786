#include "training/batch_sequence.hpp"

#include <algorithm>
#include <cassert>

#include "batching/batch.hpp"

namespace glassformer {

BatchSequence::BatchSequence(const TrainingSettings& settings, const SentencePairs& pairs)
    : max_tokens_(settings.max_tokens),
      accumulation_(static_cast<std::size_t>(settings.accumulation)),
      seed_(settings.seed),
      pairs_(pairs) {}

bool BatchSequence::go_to(const Progress& progress) {
  if (progress.batch == 0) return true;
  prepare(progress);
  return progress.batch < std::ssize(batches_);
}

void BatchSequence::prepare(const Progress& progress) {
  if (planned_ == progress.epoch) return;
  batches_ = plan_epoch(pairs_, max_tokens_, seed_, progress.epoch);
  planned_ = progress.epoch;
}

std::span<const BatchSequence::Batch> BatchSequence::next(const Progress& progress) const {
  assert(planned_ == progress.epoch);
  const auto rest = std::span(batches_).subspan(static_cast<std::size_t>(progress.batch));
  return rest.first(std::min(accumulation_, rest.size()));
}

void BatchSequence::advance(Progress& progress, std::size_t count) {
  progress.batch += static_cast<Index>(count);
  if (progress.batch < std::ssize(batches_)) return;
  progress.batch = 0;
  ++progress.epoch;
}

}  // namespace glassformer
