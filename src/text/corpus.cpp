#include "text/corpus.hpp"

#include <algorithm>

#include "numerics/fingerprint.hpp"

namespace glassformer {

bool ParallelReader::next(std::string& source, std::string& target) {
  const bool has_source = source_.next(source);
  const bool has_target = target_.next(target);
  if (has_source != has_target) throw unequal();
  return has_source;
}

UserError ParallelReader::unequal() {
  // One file has ended: the other is read to its end, so that both counts can be told.
  std::string line;
  while (source_.next(line)) {
  }
  while (target_.next(line)) {
  }
  return UserError(target_file_.string() + ": expected " + std::to_string(source_.lines_read()) +
                   " lines, as many as " + source_file_.string() + " has, found " +
                   std::to_string(target_.lines_read()) + "; both files must hold one sentence a line");
}

Corpus Corpus::read(const std::filesystem::path& source_file, const std::filesystem::path& target_file,
                    const TokenizerPair& tokenizers, Index max_length) {
  Corpus corpus(tokenizers.source->special(), tokenizers.target->special());
  ParallelReader reader(source_file, target_file);
  std::string source, target;
  while (reader.next(source, target)) corpus.add(tokenizers, source, target, max_length);
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
    ++left_out_empty_;
  } else if (max_length > 0 && longer > max_length) {
    ++left_out_long_;
  } else {
    append(source, target, first_line_ + lines_read_);
  }
  ++lines_read_;
}

void Corpus::refuse_empty(const std::string& files, Index max_length) const {
  if (size() > 0) return;
  std::string message = files + ": expected at least one sentence pair, found none: of " +
                        std::to_string(lines_read_) + " lines, " + std::to_string(left_out_empty_) +
                        " have an empty side";
  if (max_length > 0) {
    message += " and " + std::to_string(left_out_long_) + " have more than " + std::to_string(max_length) +
               " tokens on one side";
  }
  throw UserError(message + "; check the files" + (max_length > 0 ? " and data.max_length" : ""));
}

std::uint64_t Corpus::fingerprint() const {
  Fingerprint fingerprint;
  for (const auto* ids : {&source_ids_, &target_ids_}) {
    for (const Id id : *ids) fingerprint.mix(static_cast<std::uint64_t>(id));
  }
  for (const auto* ends : {&source_ends_, &target_ends_}) {
    for (const std::size_t end : *ends) fingerprint.mix(std::uint64_t{end});
  }
  return fingerprint.value();
}

std::int64_t Corpus::bytes() const {
  const auto of = [](const auto& numbers) {
    return static_cast<std::int64_t>(numbers.capacity() * sizeof(numbers[0]));
  };
  return of(source_ids_) + of(target_ids_) + of(source_ends_) + of(target_ends_) + of(lines_);
}

void Corpus::append(std::span<const Id> source, std::span<const Id> target, Index line) {
  source_ids_.insert(source_ids_.end(), source.begin(), source.end());
  target_ids_.insert(target_ids_.end(), target.begin(), target.end());
  source_ends_.push_back(source_ids_.size());
  target_ends_.push_back(target_ids_.size());
  lines_.push_back(line);
}

}  // namespace glassformer
