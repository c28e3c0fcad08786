#include "training/training_text.hpp"

#include <utility>

#include "text/batch.hpp"

namespace glassformer {

TrainingText::TrainingText(const Config& config, TokenizerPair tokenizers)
    : data_(config.data),
      sampling_(config.tokenizer.sampling),
      seed_(config.training.seed),
      tokenizers_(std::move(tokenizers)),
      all_(data_.source_file(data_.train), data_.target_file(data_.train), data_.lines_in_memory),
      valid_(TestText::read(data_.source_file(data_.valid), data_.target_file(data_.valid), tokenizers_)),
      valid_fingerprint_(
          ParallelText(data_.source_file(data_.valid), data_.target_file(data_.valid), data_.lines_in_memory)
              .fingerprint()) {
  for (Index place = 0; place < all_.parts() && part_.size() == 0; ++place) take(0, place);
  part_.refuse_empty(data_.source_file(data_.train).string() + " and " + data_.target_file(data_.train).string(),
                     data_.max_length);
}

void TrainingText::take(Index epoch, Index place) {
  const Index part = shuffled_parts(all_.parts(), seed_, epoch)[static_cast<std::size_t>(place)];
  if (part == part_at_hand_ && sampling_ == 0) return;
  part_ = {};  // the old one goes before the new one comes
  with_sampling_seed(seed_ * 1'000'003 + static_cast<std::uint64_t>(round(epoch, place)),
                     [&] { part_ = all_.read(part, tokenizers_, data_.max_length, sampling_); });
  part_at_hand_ = part;
}

}  // namespace glassformer
