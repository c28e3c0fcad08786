#include "glassformer/run/training_text.hpp"

#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>

#include <utility>

#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/lines.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/machine/memory.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSampleSize = 4000;  // targets at most, and at least half as many

/// A text that changes whenever a file is written or replaced; "" if there is no file. \throws as throw_disk_error()
/// does
std::string version_of_text(const fs::path& file) {
  struct stat now {};
  std::error_code ignored;
  if (::stat(file.c_str(), &now) != 0) {
    const std::error_code reason(errno, std::generic_category());
    if (reason == std::errc::no_such_file_or_directory || reason == std::errc::not_a_directory) {
      return "";
    }
    throw_disk_error("cannot be read", file, reason);
  }
  return fmt::format("{} {} {} {}", now.st_dev, now.st_ino, now.st_size,
                     fs::last_write_time(file, ignored).time_since_epoch().count());
}

std::uint64_t hash_of_pair(const std::string& source, const std::string& target) {
  return Fingerprint().mix(source).mix(target).value();
}

}  // namespace

TextWatch::TextWatch(const DataSettings& data) {
  for (const std::string& name : {data.train, data.valid}) {
    if (name.empty()) {
      continue;
    }
    for (const fs::path& file : {data.source_file(name), data.target_file(name)}) {
      versions_.emplace_back(file, version_of_text(file));
    }
  }
}

void TextWatch::require_unchanged() const {
  for (const auto& [file, version] : versions_) {
    if (version_of_text(file) != version) {
      throw UserError(file.string() + ": the text was changed while training was reading it; wait until it is " +
                      "complete, and start again");
    }
  }
}

TrainingText::TrainingText(const DataSettings& data, TokenizerPair tokenizers, const std::optional<TextWatch>& watch)
    : data_(data),
      watch_(watch ? *watch : TextWatch(data)),
      tokenizers_(std::move(tokenizers)),
      valid_(data.valid.empty()
                 ? TestText()
                 : TestText::read(data.source_file(data.valid), data.target_file(data.valid), tokenizers_)),
      corpus_(tokenizers_.source->special(), tokenizers_.target->special()) {
  read_training_pairs();
  watch_.require_unchanged();
}

void TrainingText::read_training_pairs() {
  const fs::path source_file = data_.source_file(data_.train);
  const fs::path target_file = data_.target_file(data_.train);
  const std::string files = source_file.string() + " and " + target_file.string();
  std::unordered_set<std::uint64_t> valid_pairs;
  for (std::size_t i = 0; i < valid_.sources.size(); ++i) {
    valid_pairs.insert(hash_of_pair(valid_.sources[i], valid_.references[i]));
  }
  const std::size_t distinct = valid_pairs.size();

  ParallelReader reader(source_file, target_file);
  const MemoryLeft left = memory_left();
  for (std::string source, target; reader.next(source, target);) {
    const Index before = corpus_.size();
    corpus_.add(tokenizers_, source, target, data_.max_length);
    // As the corpus grows, its arrays are copied to new ones that are twice as large.
    if (left.bytes > 0 && corpus_.bytes() > left.bytes / 3) {
      throw UserError(fmt::format(
          "{}: the training text takes more than a third of the available memory ({} leaves {:.0f} MB). Train on "
          "part of the text, or provide more memory.",
          files, left.limit, static_cast<double>(left.bytes) / 1e6));
    }
    if (corpus_.size() == before) {
      continue;
    }
    census_.add(tokenizers_, source, corpus_.source(before), target, corpus_.target(before));
    if (!valid_pairs.empty()) {
      valid_pairs.erase(hash_of_pair(source, target));
    }
    if (distinct == 0) {
      take_sample(target);
    }
  }
  seen_ = static_cast<Index>(distinct - valid_pairs.size());
  fingerprint_ = reader.fingerprint();
  corpus_.throw_if_empty(files, data_.max_length);
}

void TrainingText::take_sample(const std::string& target) {
  if ((corpus_.size() - 1) % sample_step_ != 0) {
    return;
  }
  if (sample_.size() == kSampleSize) {                   // keep every second one
    for (std::size_t i = 1; i < kSampleSize / 2; ++i) {  // the first one stays where it is
      sample_[i] = std::move(sample_[2 * i]);
    }
    sample_.resize(kSampleSize / 2);
    sample_step_ *= 2;  // this target is number kSampleSize * the old step, so it belongs to the sample, too
  }
  sample_.push_back(target);
}

}  // namespace glassformer
