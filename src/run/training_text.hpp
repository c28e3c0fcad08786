#pragma once

#include "evaluation/evaluation.hpp"
#include "files/lines.hpp"
#include "text/corpus.hpp"

namespace glassformer {

/// The training text and the validation text of a run.
class TrainingText {
 public:
  /// \throws UserError: unusable text, or one that is too large for memory
  TrainingText(const DataSettings& data, TokenizerPair tokenizers);

  const TokenizerPair& tokenizers() const { return tokenizers_; }
  const DataSettings& data() const { return data_; }
  const Corpus& corpus() const { return corpus_; }
  const TestText& valid() const { return valid_; }  ///< empty unless has_valid()
  bool has_valid() const { return !valid_.sources.empty(); }
  Index fingerprint() const { return fingerprint_; }  ///< of the lines of the training text, see ParallelReader

 private:
  DataSettings data_;
  TokenizerPair tokenizers_;
  TestText valid_;
  Corpus corpus_;
  Index fingerprint_ = 0;
};

}  // namespace glassformer
