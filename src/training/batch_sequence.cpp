#include "training/batch_sequence.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "text/batch.hpp"
#include "user_error.hpp"

namespace glassformer {

BatchSequence::BatchSequence(const Config& config, TrainingText text, Communicator ranks)
    : max_length_(config.data.max_length),
      max_tokens_(config.training.max_tokens),
      accumulation_(static_cast<std::size_t>(config.training.accumulation)),
      seed_(config.training.seed),
      text_(std::move(text)),
      ranks_(std::move(ranks)) {}

void BatchSequence::go_to(const Progress& progress, const std::filesystem::path& checkpoint) {
  const bool has_part = progress.part < text_.all().parts();
  if (has_part && progress.batch > 0) plan(progress);
  if (has_part && (progress.batch == 0 || progress.batch < std::ssize(batches_))) return;
  ranks_.once([&] {
    throw UserError(checkpoint.string() + ": expected a state of training with this text, found part " +
                    std::to_string(progress.part) + ", batch " + std::to_string(progress.batch) +
                    ", which it does not have. Continue with the text that the run was begun with.");
  });
}

void BatchSequence::prepare(Progress& progress) {
  if (batches_.empty()) plan(progress);
  if (batches_.empty()) next_part(progress);
  if (batches_.empty()) {
    ranks_.together([&] { text_.part().refuse_empty("this epoch's training text", max_length_); });
  }
}

std::span<const BatchSequence::Batch> BatchSequence::next(const Progress& progress) const {
  const auto rest = std::span(batches_).subspan(static_cast<std::size_t>(progress.batch));
  return rest.first(std::min(accumulation_, rest.size()));
}

void BatchSequence::advance(Progress& progress, std::size_t count) {
  progress.batch += static_cast<Index>(count);
  if (progress.batch == std::ssize(batches_)) next_part(progress);
}

void BatchSequence::plan(const Progress& progress) {
  ranks_.together([&] { text_.take(progress.epoch, progress.part); });
  ranks_.require_same("the tokens of the training text", [&] { return text_.part().fingerprint(); },
                      "Give all the same text and the same tokenizers (tokenizer.source_model), and one program.");
  batches_ = plan_epoch(text_.part(), max_tokens_, seed_, text_.round(progress.epoch, progress.part));
}

/// Parts without a batch are passed over.
void BatchSequence::next_part(Progress& progress) {
  progress.batch = 0;
  while (++progress.part < text_.all().parts()) {
    plan(progress);
    if (!batches_.empty()) return;
  }
  progress.part = 0;
  ++progress.epoch;
  batches_.clear();  // planned once it is clear that there is another epoch
}

}  // namespace glassformer
