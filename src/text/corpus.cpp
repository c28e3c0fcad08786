#include "text/corpus.hpp"

#include <algorithm>
#include <utility>

#include "files/fingerprint.hpp"
#include "text/parallel_reader.hpp"
#include "user_error.hpp"

namespace glassformer {

Corpus Corpus::read(const std::filesystem::path& source_file, const std::filesystem::path& target_file,
                    const TokenizerPair& tokenizers, Index max_length) {
  Corpus corpus(tokenizers.source->special(), tokenizers.target->special());
  ParallelReader reader(source_file, target_file);
  for (std::string source, target; reader.next(source, target);) corpus.add(tokenizers, source, target, max_length);
  corpus.refuse_empty(source_file.string() + " and " + target_file.string(), max_length);
  return corpus;
}

void Corpus::add(const TokenizerPair& tokenizers, const std::string& source_line, const std::string& target_line,
                 Index max_length, double sampling) {
  const auto encode = [sampling](const Tokenizer& tokenizer, const std::string& line) {
    return sampling > 0 ? tokenizer.sample(line, sampling) : tokenizer.encode(line);
  };
  const std::vector<Id> source = encode(*tokenizers.source, source_line);
  const std::vector<Id> target = encode(*tokenizers.target, target_line);
  const auto longer = static_cast<Index>(std::max(source.size(), target.size()));
  if (source.empty() || target.empty()) {
    ++line_counts_.empty;
  } else if (max_length > 0 && longer > max_length) {
    ++line_counts_.too_long;
  } else {
    append(source, target, line_counts_.read);
  }
  ++line_counts_.read;
}

void Corpus::append(std::span<const Id> source, std::span<const Id> target, Index line) {
  for (const std::span<const Id> sentence : {source, target}) {
    ids_.insert(ids_.end(), sentence.begin(), sentence.end());
    offsets_.push_back(std::ssize(ids_));
  }
  lines_.push_back(line);
}

void Corpus::refuse_empty(const std::string& files, Index max_length) const {
  if (size() > 0) return;
  std::string message = files + ": expected at least one sentence pair, found none: of " +
                        std::to_string(line_counts_.read) + " lines, " + std::to_string(line_counts_.empty) +
                        " have an empty side";
  if (max_length > 0) {
    message += " and " + std::to_string(line_counts_.too_long) + " have more than " + std::to_string(max_length) +
               " tokens on one side";
  }
  throw UserError(message + "; check the files" + (max_length > 0 ? " and data.max_length" : ""));
}

std::int64_t Corpus::bytes_in_memory() const {
  const auto of = [](const auto& numbers) {
    return static_cast<std::int64_t>(numbers.capacity() * sizeof(numbers[0]));
  };
  return of(ids_) + of(offsets_) + of(lines_);
}

void Corpus::clear_pairs() {
  ids_.clear();
  offsets_.resize(1);
  lines_.clear();
}

void Corpus::map(MappedArrays arrays, const LineCounts& counts) {
  ids_ = std::vector<Id>();  // (= {} would keep the memory)
  offsets_ = std::vector<std::int64_t>();
  lines_ = std::vector<Index>();
  mapped_ = std::move(arrays);
  line_counts_ = counts;
}

std::uint64_t fingerprint(const SentencePairs& pairs) {
  Fingerprint fingerprint;
  for (const Id id : pairs.ids) fingerprint.mix(static_cast<std::uint64_t>(id));
  for (const std::int64_t offset : pairs.offsets) fingerprint.mix(static_cast<std::uint64_t>(offset));
  return fingerprint.value();
}

}  // namespace glassformer
