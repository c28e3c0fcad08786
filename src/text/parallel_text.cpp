#include "text/parallel_text.hpp"

#include <string>
#include <string_view>

namespace glassformer {
namespace {

/// FNV-1a (Fowler, Noll & Vo), a byte at a time.
class Hash {
 public:
  explicit Hash(std::uint64_t value = 14695981039346656037U) : value_(value) {}

  void mix(std::uint64_t number) { value_ = (value_ ^ number) * 1099511628211U; }
  void mix(std::string_view line) {
    for (const char byte : line) mix(static_cast<std::uint64_t>(static_cast<unsigned char>(byte)));
    mix(std::uint64_t{'\n'});
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_;
};

/// Of lines that have been read one after the other.
std::uint64_t mixed(std::uint64_t hash, std::string_view source, std::string_view target) {
  Hash next(hash);
  next.mix(source);
  next.mix(target);
  return next.value();
}

}  // namespace

ParallelText::ParallelText(const std::filesystem::path& source_file, const std::filesystem::path& target_file,
                           Index part_lines)
    : source_file_(source_file), target_file_(target_file), parts_{{{}, 0, Hash().value()}} {
  ParallelReader reader(source_file, target_file);
  ParallelReader::Place place = reader.place();
  for (std::string source, target; reader.next(source, target); place = reader.place()) {
    if (parts_.back().lines == part_lines) parts_.push_back({place, 0, Hash().value()});
    ++parts_.back().lines;
    parts_.back().hash = mixed(parts_.back().hash, source, target);
    ++lines_;
  }
}

Index ParallelText::fingerprint() const {
  Hash hash;
  for (const Part& part : parts_) hash.mix(part.hash);
  return static_cast<Index>(hash.value() >> 2) + 1;
}

Corpus ParallelText::read(Index number, const TokenizerPair& tokenizers, Index max_length, double sampling) const {
  const Part& part = parts_[static_cast<std::size_t>(number)];
  Corpus corpus(tokenizers.source->special(), tokenizers.target->special(), part.begin.source.line);
  std::uint64_t hash = Hash().value();
  std::string trouble = "others";
  try {
    ParallelReader reader(source_file_, target_file_, part.begin);
    std::string source, target;
    for (Index line = 0; line < part.lines && reader.next(source, target); ++line) {
      hash = mixed(hash, source, target);
      corpus.add(tokenizers, source, target, max_length, sampling);
    }
    if (hash == part.hash) return corpus;
  } catch (const UserError& error) {
    trouble = std::string("this: ") + error.what();
  }
  throw UserError(source_file_.string() + " and " + target_file_.string() + ": expected the lines that were there " +
                  "when the training began, found " + trouble + ". Put the files back, and continue with --resume.");
}

}  // namespace glassformer
