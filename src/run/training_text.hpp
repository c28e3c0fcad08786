#pragma once

#include <cstdint>

#include "evaluation/evaluation.hpp"
#include "files/lines.hpp"
#include "text/corpus.hpp"

namespace glassformer {

/// The training text and the validation text of a run.
class TrainingText {
 public:
  /// `sampling`: see Tokenizer::encode. Its draws depend on `seed` and on the epoch.
  /// \throws UserError: unusable text, or one that is too large for memory
  TrainingText(const DataSettings& data, double sampling, std::uint64_t seed, TokenizerPair tokenizers);

  /// Makes corpus() the text of an epoch. With sampling, each epoch has different pieces. \throws UserError: the files
  /// have changed, or the epoch has no pair
  void take(Index epoch);

  const TokenizerPair& tokenizers() const { return tokenizers_; }
  const DataSettings& data() const { return data_; }
  double sampling() const { return sampling_; }
  const Corpus& corpus() const { return corpus_; }
  const TestText& valid() const { return valid_; }
  Index fingerprint() const { return fingerprint_; }  ///< of the lines of the training text, see ParallelReader

 private:
  void read();

  DataSettings data_;
  double sampling_;
  std::uint64_t seed_;
  TokenizerPair tokenizers_;
  TestText valid_;
  Corpus corpus_;
  Index epoch_ = -1;
  Index fingerprint_ = 0;
};

}  // namespace glassformer
