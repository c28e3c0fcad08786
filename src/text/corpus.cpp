#include "glassformer/text/corpus.hpp"

#include <algorithm>

#include "glassformer/files/fingerprint.hpp"
#include "glassformer/files/lines.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {

Corpus Corpus::read(const std::filesystem::path& source_file, const std::filesystem::path& target_file,
                    const TokenizerPair& tokenizers, Index max_length) {
  Corpus corpus(tokenizers.source->special(), tokenizers.target->special());
  ParallelReader reader(source_file, target_file);
  for (std::string source, target; reader.next(source, target);) {
    corpus.add(tokenizers, source, target, max_length);
  }
  corpus.throw_if_empty(source_file.string() + " and " + target_file.string(), max_length);
  return corpus;
}

void Corpus::add(const TokenizerPair& tokenizers, const std::string& source_line, const std::string& target_line,
                 Index max_length) {
  add(tokenizers.source->encode(source_line), tokenizers.target->encode(target_line), max_length);
}

void Corpus::add(std::span<const Id> source, std::span<const Id> target, Index max_length) {
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
    offsets_.push_back(tokens());
  }
  lines_.push_back(line);
}

void Corpus::throw_if_empty(const std::string& files, Index max_length) const {
  if (size() > 0) {
    return;
  }
  std::string message = files + ": expected at least one sentence pair, found none: of " +
                        std::to_string(line_counts_.read) + " lines, " + std::to_string(line_counts_.empty) +
                        " have an empty side";
  if (max_length > 0) {
    message += " and " + std::to_string(line_counts_.too_long) + " have more than " + std::to_string(max_length) +
               " tokens on one side";
  }
  throw UserError(message + "; check the files" + (max_length > 0 ? " and data.max_length" : ""));
}

std::int64_t Corpus::bytes() const {
  const auto bytes = [](const auto& values) { return static_cast<std::int64_t>(std::span(values).size_bytes()); };
  return bytes(ids_) + bytes(offsets_) + bytes(lines_);
}

std::uint64_t fingerprint(const SentencePairs& pairs) {
  Fingerprint fingerprint;
  for (const Id id : pairs.ids) {
    fingerprint.mix(static_cast<std::uint64_t>(id));
  }
  for (const std::int64_t offset : pairs.offsets) {
    fingerprint.mix(static_cast<std::uint64_t>(offset));
  }
  return fingerprint.value();
}

}  // namespace glassformer
