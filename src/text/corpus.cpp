#include "text/corpus.hpp"

#include <algorithm>
#include <array>

#include "files/fingerprint.hpp"
#include "files/lines.hpp"
#include "files/user_error.hpp"

namespace glassformer {

Corpus Corpus::read(const std::filesystem::path& source_file, const std::filesystem::path& target_file,
                    const TokenizerPair& tokenizers, Index max_length) {
  Corpus corpus(tokenizers.source->special(), tokenizers.target->special());
  ParallelReader reader(source_file, target_file);
  for (std::string source, target; reader.next(source, target);) corpus.add(tokenizers, source, target, max_length);
  corpus.throw_if_empty(source_file.string() + " and " + target_file.string(), max_length);
  return corpus;
}

void Corpus::add(const TokenizerPair& tokenizers, const std::string& source_line, const std::string& target_line,
                 Index max_length, double sampling) {
  const std::vector<Id> source = tokenizers.source->encode(source_line, sampling);
  const std::vector<Id> target = tokenizers.target->encode(target_line, sampling);
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
  if (size_ == 0) offsets_.append(std::array{std::int64_t{0}});
  for (const std::span<const Id> sentence : {source, target}) {
    ids_.append(sentence);
    tokens_ += std::ssize(sentence);
    offsets_.append(std::array{std::int64_t{tokens_}});
  }
  lines_.append(std::array{line});
  ++size_;
}

void Corpus::move_to_file(const std::filesystem::path& directory) {
  ids_.move_to_file(directory);
  offsets_.move_to_file(directory);
  lines_.move_to_file(directory);
}

void Corpus::map() {
  ids_.map();
  offsets_.map();
  lines_.map();
}

void Corpus::throw_if_empty(const std::string& files, Index max_length) const {
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
  return ids_.bytes_in_memory() + offsets_.bytes_in_memory() + lines_.bytes_in_memory();
}

std::uint64_t fingerprint(const SentencePairs& pairs) {
  Fingerprint fingerprint;
  for (const Id id : pairs.ids) fingerprint.mix(static_cast<std::uint64_t>(id));
  for (const std::int64_t offset : pairs.offsets) fingerprint.mix(static_cast<std::uint64_t>(offset));
  return fingerprint.value();
}

}  // namespace glassformer
