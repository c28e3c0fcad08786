#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "config/config.hpp"
#include "evaluation/evaluation.hpp"
#include "files/lines.hpp"
#include "text/corpus.hpp"

namespace glassformer {

/// Where the ids of a training text go if they are too many for memory.
struct CorpusPlace {
  std::filesystem::path run;            ///< the run's directory; empty: that of temporary files
  std::function<void()> make_run = {};  ///< called before the first file is written; makes the directory if needed
};

/// The training text and the validation text of a run.
class TrainingText {
 public:
  /// \throws UserError: text that cannot be used
  TrainingText(const Config& config, TokenizerPair tokenizers, CorpusPlace place = {});

  /// Makes corpus() that of an epoch. With tokenizer.sampling, each epoch has other pieces. \throws UserError: the
  /// files have changed, or an epoch without a pair
  void take(Index epoch);

  const TokenizerPair& tokenizers() const { return tokenizers_; }
  const Corpus& corpus() const { return corpus_; }
  const TestText& valid() const { return valid_; }
  Index fingerprint() const { return fingerprint_; }  ///< of the lines of the training text, see ParallelReader
  std::filesystem::path directory() const { return place_.run; }

 private:
  void read();

  Config config_;
  std::filesystem::path source_, target_;  // the files of the training text
  TokenizerPair tokenizers_;
  CorpusPlace place_;
  TestText valid_;
  Corpus corpus_;
  Index epoch_ = -1;
  Index fingerprint_ = 0;
};

}  // namespace glassformer
