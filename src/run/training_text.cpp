#include "run/training_text.hpp"

#include <spdlog/fmt/fmt.h>

#include <utility>

#include "files/user_error.hpp"
#include "machine/machine.hpp"

namespace glassformer {

TrainingText::TrainingText(const DataSettings& data, double sampling, std::uint64_t seed, TokenizerPair tokenizers)
    : data_(data),
      sampling_(sampling),
      seed_(seed),
      tokenizers_(std::move(tokenizers)),
      valid_(TestText::read(data.source_file(data.valid), data.target_file(data.valid), tokenizers_)) {
  take(0);
}

void TrainingText::take(Index epoch) {
  if (epoch_ == epoch || (epoch_ >= 0 && sampling_ == 0)) return;
  corpus_ = Corpus(tokenizers_.source->special(), tokenizers_.target->special());  // frees the old one before reading
  if (sampling_ > 0)
    with_sampling_seed(seed_ * 1'000'003 + static_cast<std::uint64_t>(epoch), [&] { read(); });
  else
    read();
  epoch_ = epoch;
}

void TrainingText::read() {
  const std::filesystem::path source_file = data_.source_file(data_.train),
                              target_file = data_.target_file(data_.train);
  const std::string files = source_file.string() + " and " + target_file.string();
  ParallelReader reader(source_file, target_file);
  const MemoryLeft left = epoch_ < 0 ? memory_left() : MemoryLeft();  // other epochs' texts are about as large
  for (std::string source, target; reader.next(source, target);) {
    corpus_.add(tokenizers_, source, target, data_.max_length, sampling_);
    // As the corpus grows, its arrays are copied to new ones that are twice as large.
    if (left.bytes > 0 && corpus_.bytes() > left.bytes / 3)
      throw UserError(
          fmt::format("{}: expected a training text that takes at most a third of the memory, found a "
                      "larger one ({} leaves {:.0f} MB). Train on part of the text, or provide more memory.",
                      files, left.limit, static_cast<double>(left.bytes) / 1e6));
  }
  if (fingerprint_ != 0 && fingerprint_ != reader.fingerprint())
    throw UserError(files +
                    ": expected the lines that the run started with, found different ones. Restore the files, "
                    "and continue with --resume.");
  fingerprint_ = reader.fingerprint();
  corpus_.throw_if_empty(files, data_.max_length);
}

}  // namespace glassformer
