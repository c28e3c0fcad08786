#include "run/training_text.hpp"

#include <algorithm>
#include <utility>

#include "files/user_error.hpp"
#include "machine/machine.hpp"

namespace glassformer {

TrainingText::TrainingText(const DataSettings& data, double sampling, std::uint64_t seed, TokenizerPair tokenizers,
                           FileDirectory file_directory)
    : data_(data),
      sampling_(sampling),
      seed_(seed),
      tokenizers_(std::move(tokenizers)),
      file_directory_(std::move(file_directory)),
      valid_(TestText::read(data.source_file(data.valid), data.target_file(data.valid), tokenizers_)) {
  take(0);
}

void TrainingText::take(Index epoch) {
  if (epoch_ == epoch || (epoch_ >= 0 && sampling_ == 0)) return;
  corpus_ = Corpus(tokenizers_.source->special(), tokenizers_.target->special());  // frees the old one before reading
  if (sampling_ > 0)
    with_sampling_seed(seed_ * 1'000'003 + static_cast<std::uint64_t>(epoch), [&] { read(epoch); });
  else
    read(epoch);
  epoch_ = epoch;
}

void TrainingText::read(Index epoch) {
  const std::filesystem::path source_file = data_.source_file(data_.train),
                              target_file = data_.target_file(data_.train);
  const std::string files = source_file.string() + " and " + target_file.string();
  ParallelReader reader(source_file, target_file);
  Index most_tokens = data_.mapped_above;  // in memory: at most a quarter of what is left
  if (const std::int64_t bytes = memory_left().bytes; bytes > 0)
    most_tokens = std::min<Index>(most_tokens, bytes / 4 / static_cast<Index>(sizeof(Id)));
  for (std::string source, target; reader.next(source, target);) {
    corpus_.add(tokenizers_, source, target, data_.max_length, sampling_);
    if (!corpus_.is_in_file() && corpus_.tokens() > most_tokens) corpus_.move_to_file(file_directory_(epoch));
  }
  corpus_.map();
  if (fingerprint_ != 0 && fingerprint_ != reader.fingerprint()) {
    throw UserError(files +
                    ": expected the lines that the run started with, found different ones. Restore the files, and "
                    "continue with --resume.");
  }
  fingerprint_ = reader.fingerprint();
  corpus_.throw_if_empty(files, data_.max_length);
}

}  // namespace glassformer
