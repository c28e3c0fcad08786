#include "text/corpus.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "files/fingerprint.hpp"
#include "files/lines.hpp"
#include "files/user_error.hpp"

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
  for (const std::span<const Id> sentence : {source, target}) {
    ids_.insert(ids_.end(), sentence.begin(), sentence.end());
    offsets_.push_back(offsets_.back() + std::ssize(sentence));
  }
  lines_.push_back(line);
  constexpr Index kPiece = Index{1} << 20;  // ids written at a time
  if (file_ && std::ssize(ids_) >= kPiece) write_ids();
}

void Corpus::write_ids() {
  file_->write(std::as_bytes(std::span(ids_)));
  ids_.clear();
}

void Corpus::move_to_file(const std::filesystem::path& directory) {
  const std::filesystem::path file = directory / (".glassformer-ids-" + std::to_string(::getpid()));
  file_ = std::make_shared<Descriptor>(file, O_RDWR | O_CREAT | O_EXCL);
  std::filesystem::remove(file);
  write_ids();
  ids_.shrink_to_fit();
}

void Corpus::map() {
  if (!file_) return;
  write_ids();
  ids_.shrink_to_fit();
  const auto bytes = static_cast<std::size_t>(tokens()) * sizeof(Id);
  if (bytes == 0) return;
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file_->number(), 0);
  if (mapped == MAP_FAILED) throw_disk_error("cannot be mapped into memory", file_->path(), last_error());
  mapping_ = std::shared_ptr<void>(mapped, [bytes](void* memory) { ::munmap(memory, bytes); });
  // Sentences are read in random order, so what follows one of them on the disk need not be read with it.
  ::madvise(mapped, bytes, MADV_RANDOM);
  mapped_ = {static_cast<const Id*>(mapped), static_cast<std::size_t>(tokens())};
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

std::uint64_t fingerprint(const SentencePairs& pairs) {
  Fingerprint fingerprint;
  for (const Id id : pairs.ids) fingerprint.mix(static_cast<std::uint64_t>(id));
  for (const std::int64_t offset : pairs.offsets) fingerprint.mix(static_cast<std::uint64_t>(offset));
  return fingerprint.value();
}

}  // namespace glassformer
