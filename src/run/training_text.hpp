#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/run/text_census.hpp"
#include "glassformer/run/training_plan.hpp"
#include "glassformer/text/corpus.hpp"

namespace glassformer {

/// Notices when a training or validation file is written, replaced or removed. They are read several times: for the
/// tokenizers, for the corpus and for the digests.
class TextWatch {
 public:
  explicit TextWatch(const DataSettings& data);
  /// \throws UserError: a file has changed since this object was made
  void require_unchanged() const;

 private:
  std::vector<std::pair<std::filesystem::path, std::string>> versions_;
};

/// The training text and the validation text of a run.
class TrainingText {
 public:
  /// `watch`: made before the tokenizers, if they were learned from this text.
  /// \throws UserError: unusable text, or one that is too large for memory, or one that changes while it is read
  TrainingText(const DataSettings& data, TokenizerPair tokenizers, const std::optional<TextWatch>& watch = {});

  const TokenizerPair& tokenizers() const { return tokenizers_; }
  const DataSettings& data() const { return data_; }
  const Corpus& corpus() const { return corpus_; }
  const TestText& valid() const { return valid_; }  ///< empty unless has_valid()
  bool has_valid() const { return !valid_.sources.empty(); }
  Index fingerprint() const { return fingerprint_; }    ///< of the lines of the training text, see ParallelReader
  const TextCensus& census() const { return census_; }  ///< of the pairs in the corpus
  Index valid_pairs_seen() const { return seen_; }      ///< distinct validation pairs that the training text has, too
  const std::vector<std::string>& sample() const { return sample_; }  ///< targets from all over the training text
  void require_unchanged() const { watch_.require_unchanged(); }      ///< \throws as TextWatch does

 private:
  void read_training_pairs();
  void take_sample(const std::string& target);

  DataSettings data_;
  TextWatch watch_;
  TokenizerPair tokenizers_;
  TestText valid_;
  Corpus corpus_;
  Index fingerprint_ = 0;
  TextCensus census_;
  Index seen_ = 0;
  std::vector<std::string> sample_;
  Index sample_step_ = 1;  // one target in this many goes into the sample
};

/// What the user should know about these texts before training: what the tokenizers cannot represent, which
/// translations the decoder would cut off, and signs of mistakes in the files. One line each; only what matters.
std::vector<Remark> remarks_on(const TrainingText& text, const TrainingPlan& plan);

/// Logs them.
void report_on(const TrainingText& text, const TrainingPlan& plan);

}  // namespace glassformer
