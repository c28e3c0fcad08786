#include "text/corpus.hpp"

#include <algorithm>

#include "text/lines.hpp"
#include "user_error.hpp"

namespace glassformer {
namespace {

/// For two files of which one has ended: reads the other to its end, so that both counts can be told.
UserError unequal(const std::filesystem::path& source_file, LineReader& source,
                  const std::filesystem::path& target_file, LineReader& target) {
  std::string line;
  while (source.next(line)) {
  }
  while (target.next(line)) {
  }
  return UserError(target_file.string() + ": expected " + std::to_string(source.lines_read()) +
                   " lines, as many as " + source_file.string() + " has, found " +
                   std::to_string(target.lines_read()) + "; both files must hold one sentence a line");
}

}  // namespace

Corpus Corpus::read(const std::filesystem::path& source_file, const std::filesystem::path& target_file,
                    const TokenizerPair& tokenizers, Index max_length) {
  Corpus corpus(tokenizers.source->special(), tokenizers.target->special());
  LineReader source_reader(source_file), target_reader(target_file);
  std::string source_line, target_line;
  while (true) {
    const bool has_source = source_reader.next(source_line);
    const bool has_target = target_reader.next(target_line);
    if (has_source != has_target) throw unequal(source_file, source_reader, target_file, target_reader);
    if (!has_source) break;

    const std::vector<Id> source = tokenizers.source->encode(source_line);
    const std::vector<Id> target = tokenizers.target->encode(target_line);
    const auto longer = static_cast<Index>(std::max(source.size(), target.size()));
    if (source.empty() || target.empty()) {
      ++corpus.left_out_empty_;
    } else if (max_length > 0 && longer > max_length) {
      ++corpus.left_out_long_;
    } else {
      corpus.append(source, target, source_reader.lines_read() - 1);
    }
  }
  if (corpus.size() == 0) {
    throw UserError(source_file.string() + " and " + target_file.string() +
                    ": expected at least one sentence pair, " + "found none: of " +
                    std::to_string(source_reader.lines_read()) + " lines, " +
                    std::to_string(corpus.left_out_empty_) + " have an empty side and " +
                    std::to_string(corpus.left_out_long_) + " have more than " + std::to_string(max_length) +
                    " tokens on one side; check the files and data.max_length");
  }
  return corpus;
}

void Corpus::append(std::span<const Id> source, std::span<const Id> target, Index line) {
  source_ids_.insert(source_ids_.end(), source.begin(), source.end());
  target_ids_.insert(target_ids_.end(), target.begin(), target.end());
  source_ends_.push_back(source_ids_.size());
  target_ends_.push_back(target_ids_.size());
  lines_.push_back(line);
}

}  // namespace glassformer
