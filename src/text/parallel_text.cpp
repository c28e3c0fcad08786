#include "text/parallel_text.hpp"

#include <string>
#include <string_view>

#include "numerics/fingerprint.hpp"

namespace glassformer {
namespace {

/// Of lines that have been read one after the other.
std::uint64_t mixed(std::uint64_t hash, std::string_view source, std::string_view target) {
  Fingerprint next(hash);
  next.mix(source);
  next.mix(target);
  return next.value();
}

}  // namespace

ParallelText::ParallelText(const std::filesystem::path& source_file, const std::filesystem::path& target_file,
                           Index part_lines)
    : source_file_(source_file), target_file_(target_file), parts_{{{}, 0, Fingerprint().value()}} {
  ParallelReader reader(source_file, target_file);
  ParallelReader::Place place = reader.place();
  for (std::string source, target; reader.next(source, target); place = reader.place()) {
    if (parts_.back().lines == part_lines) parts_.push_back({place, 0, Fingerprint().value()});
    ++parts_.back().lines;
    parts_.back().hash = mixed(parts_.back().hash, source, target);
    ++lines_;
  }
}

Index ParallelText::fingerprint() const {
  Fingerprint hash;
  for (const Part& part : parts_) hash.mix(part.hash);
  return static_cast<Index>(hash.value() >> 2) + 1;
}

Corpus ParallelText::read(Index number, const TokenizerPair& tokenizers, Index max_length, double sampling) const {
  const Part& part = parts_[static_cast<std::size_t>(number)];
  Corpus corpus(tokenizers.source->special(), tokenizers.target->special(), part.begin.source.line);
  std::uint64_t hash = Fingerprint().value();
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
