#include "run/training_text.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "files/durable_files.hpp"
#include "machine/memory.hpp"
#include "text/corpus_files.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

constexpr Index kPiece = Index{1} << 20;  // tokens written at a time

/// Tokens to keep in memory: as the config says, but not more than a quarter of the memory.
Index most_in_memory(Index mapped_above) {
  const std::int64_t limit = memory_left().bytes;
  constexpr std::int64_t kShare = 4;
  return limit > 0 ? std::min<Index>(mapped_above, limit / kShare / static_cast<Index>(sizeof(Id))) : mapped_above;
}

/// Identifies a vocabulary.
std::uint64_t fingerprint_of(const Tokenizer& tokenizer) {
  Fingerprint fingerprint;
  for (const auto& [piece, id] : tokenizer.vocabulary()) {
    fingerprint.mix(piece);
    fingerprint.mix(static_cast<std::uint64_t>(id));
  }
  return fingerprint.value();
}

}  // namespace

TrainingText::TrainingText(const Config& config, TokenizerPair tokenizers, CorpusPlace place)
    : data_(config.data),
      settings_(config.tokenizer),
      seed_(config.training.seed),
      tokenizers_(std::move(tokenizers)),
      place_(std::move(place)),
      valid_(TestText::read(data_.source_file(data_.valid), data_.target_file(data_.valid), tokenizers_)) {
  take(0);
}

void TrainingText::take(Index epoch) {
  if (epoch_ == epoch || (epoch_ >= 0 && settings_.sampling == 0)) return;
  corpus_ = Corpus(tokenizers_.source->special(), tokenizers_.target->special());  // frees the last one before reading
  with_sampling_seed(seed_ * 1'000'003 + static_cast<std::uint64_t>(epoch), [&] { read(epoch); });
  corpus_.refuse_empty(file(true).string() + " and " + file(false).string(), data_.max_length);
  epoch_ = epoch;
}

fs::path TrainingText::file(bool source) const {
  return source ? data_.source_file(data_.train) : data_.target_file(data_.train);
}

void TrainingText::read(Index epoch) {
  const fs::path directory = place_.directory();
  if (!directory.empty() && fs::exists(directory) && reopen(directory, epoch)) return;
  ParallelReader reader(file(true), file(false));
  // A text that fits into memory in the first epoch stays there, even if sampling makes it a little longer.
  const bool stays = epoch_ >= 0 && !is_in_files_;
  if (fill(reader, stays ? std::numeric_limits<Index>::max() : most_in_memory(data_.mapped_above))) {
    is_in_files_ = true;
    if (place_.make_run) place_.make_run();
    move_to_files(
        corpus_, directory, [&] { return key(reader.fingerprint(), epoch); }, [&] { return fill(reader, kPiece); });
  }
  if (fingerprint_ != 0 && fingerprint_ != reader.fingerprint()) {
    throw UserError(file(true).string() + " and " + file(false).string() +
                    ": expected the lines that were there when " +
                    "the training began, found others. Put the files back, and continue with --resume.");
  }
  fingerprint_ = reader.fingerprint();
}

/// Uses the files that a run before this one has written, or removes them if they hold something else.
bool TrainingText::reopen(const fs::path& directory, Index epoch) {
  if (place_.make_run) place_.make_run();
  const Index text = text_fingerprint(file(true), file(false));
  if (open_corpus(corpus_, directory, key(text, epoch))) {
    is_in_files_ = true;
    fingerprint_ = text;
    return true;
  }
  remove_directory_durably(directory);
  return false;
}

/// Adds pairs until the corpus has more than so many tokens in memory. False: the text has ended.
bool TrainingText::fill(ParallelReader& reader, Index tokens) {
  std::string source, target;
  while (corpus_.tokens() <= tokens) {
    if (!reader.next(source, target)) return false;
    corpus_.add(tokenizers_, source, target, data_.max_length, settings_.sampling);
  }
  return true;
}

/// What the tokens depend on.
std::string TrainingText::key(Index text, Index epoch) const {
  nlohmann::json key = {{"text", text},
                        {"source_vocabulary", fingerprint_of(*tokenizers_.source)},
                        {"target_vocabulary", fingerprint_of(*tokenizers_.target)},
                        {"max_length", data_.max_length}};
  if (settings_.sampling > 0) key.update({{"sampling", settings_.sampling}, {"seed", seed_}, {"epoch", epoch}});
  return key.dump();
}

}  // namespace glassformer
