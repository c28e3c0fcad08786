#include "run/training_text.hpp"

#include <algorithm>
#include <utility>

#include "files/user_error.hpp"
#include "machine/machine.hpp"

namespace glassformer {

TrainingText::TrainingText(const Config& config, TokenizerPair tokenizers, FileDirectory file_directory)
    : config_(config),
      source_(config.data.source_file(config.data.train)),
      target_(config.data.target_file(config.data.train)),
      tokenizers_(std::move(tokenizers)),
      file_directory_(std::move(file_directory)),
      valid_(TestText::read(config.data.source_file(config.data.valid), config.data.target_file(config.data.valid),
                            tokenizers_)) {
  take(0);
}

void TrainingText::take(Index epoch) {
  if (epoch_ == epoch || (epoch_ >= 0 && config_.tokenizer.sampling == 0)) return;
  corpus_ = Corpus(tokenizers_.source->special(), tokenizers_.target->special());  // frees the last one before reading
  if (config_.tokenizer.sampling > 0)
    with_sampling_seed(config_.training.seed * 1'000'003 + static_cast<std::uint64_t>(epoch), [&] { read(epoch); });
  else
    read(epoch);
  corpus_.refuse_empty(source_.string() + " and " + target_.string(), config_.data.max_length);
  epoch_ = epoch;
}

void TrainingText::read(Index epoch) {
  ParallelReader reader(source_, target_);
  Index most = config_.data.mapped_above;  // tokens in memory, but not more than a quarter of it
  if (const std::int64_t bytes = memory_left().bytes; bytes > 0)
    most = std::min<Index>(most, bytes / 4 / static_cast<Index>(sizeof(Id)));
  for (std::string source, target; reader.next(source, target);) {
    corpus_.add(tokenizers_, source, target, config_.data.max_length, config_.tokenizer.sampling);
    if (!corpus_.is_in_file() && corpus_.tokens() > most) corpus_.move_to_file(file_directory_(epoch));
  }
  corpus_.map();
  if (fingerprint_ != 0 && fingerprint_ != reader.fingerprint()) {
    throw UserError(source_.string() + " and " + target_.string() +
                    ": expected the lines that were there when the training began, found others. Put the files back, "
                    "and continue with --resume.");
  }
  fingerprint_ = reader.fingerprint();
}

}  // namespace glassformer
