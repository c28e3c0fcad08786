#include "run/training_text.hpp"

#include <spdlog/fmt/fmt.h>

#include <utility>

#include "files/user_error.hpp"
#include "machine/machine.hpp"

namespace glassformer {

TrainingText::TrainingText(const DataSettings& data, TokenizerPair tokenizers)
    : data_(data),
      tokenizers_(std::move(tokenizers)),
      valid_(data.valid.empty() ? TestText{}
                                : TestText::read(data.source_file(data.valid), data.target_file(data.valid), tokenizers_)),
      corpus_(tokenizers_.source->special(), tokenizers_.target->special()) {
  const std::filesystem::path source_file = data_.source_file(data_.train),
                              target_file = data_.target_file(data_.train);
  const std::string files = source_file.string() + " and " + target_file.string();
  ParallelReader reader(source_file, target_file);
  const MemoryLeft left = memory_left();
  for (std::string source, target; reader.next(source, target);) {
    corpus_.add(tokenizers_, source, target, data_.max_length);
    // As the corpus grows, its arrays are copied to new ones that are twice as large.
    if (left.bytes > 0 && corpus_.bytes() > left.bytes / 3)
      throw UserError(
          fmt::format("{}: expected a training text that takes at most a third of the memory, found a "
                      "larger one ({} leaves {:.0f} MB). Train on part of the text, or provide more memory.",
                      files, left.limit, static_cast<double>(left.bytes) / 1e6));
  }
  fingerprint_ = reader.fingerprint();
  corpus_.throw_if_empty(files, data_.max_length);
}

}  // namespace glassformer
