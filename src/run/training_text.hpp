#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "config/config.hpp"
#include "evaluation/evaluation.hpp"
#include "files/lines.hpp"
#include "text/corpus.hpp"

namespace glassformer {

/// The training text and the validation text of a run.
class TrainingText {
 public:
  /// Gives a directory for the text of an epoch that is too large for memory. At epoch 0 a new run has none yet.
  using FileDirectory = std::function<std::filesystem::path(Index epoch)>;

  /// \throws UserError: text that cannot be used
  TrainingText(
      const Config& config, TokenizerPair tokenizers,
      FileDirectory file_directory = [](Index) { return std::filesystem::temp_directory_path(); });

  /// Makes corpus() that of an epoch. With tokenizer.sampling, each epoch has other pieces. \throws UserError: the
  /// files have changed, or an epoch without a pair
  void take(Index epoch);

  const TokenizerPair& tokenizers() const { return tokenizers_; }
  const Corpus& corpus() const { return corpus_; }
  const TestText& valid() const { return valid_; }
  Index fingerprint() const { return fingerprint_; }  ///< of the lines of the training text, see ParallelReader

 private:
  void read(Index epoch);

  Config config_;
  std::filesystem::path source_, target_;  // the files of the training text
  TokenizerPair tokenizers_;
  FileDirectory file_directory_;
  TestText valid_;
  Corpus corpus_;
  Index epoch_ = -1;
  Index fingerprint_ = 0;
};

}  // namespace glassformer
