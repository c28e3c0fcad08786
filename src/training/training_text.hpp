#pragma once

#include "config/config.hpp"
#include "evaluation/evaluation.hpp"
#include "text/parallel_text.hpp"

namespace glassformer {

/// The text of a run, read before its directory is made.
class TrainingText {
 public:
  /// \throws UserError: text that cannot be used
  TrainingText(const Config& config, TokenizerPair tokenizers);

  /// Reads the part that is number `place` of an epoch, unless it is at hand. With sampling it is cut into other
  /// pieces each time (Tokenizer::sample), which depend on seed and epoch.
  /// \throws UserError: the files are no longer what they were
  void take(Index epoch, Index place);

  const TokenizerPair& tokenizers() const { return tokenizers_; }
  const ParallelText& all() const { return all_; }
  const Corpus& part() const { return part_; }  ///< the one at hand
  const TestText& valid() const { return valid_; }
  Index valid_fingerprint() const { return valid_fingerprint_; }  ///< as ParallelText's

  /// Tells the parts of all epochs from each other. (Where there is one part, it is the epoch.)
  Index round(Index epoch, Index place) const { return epoch * all_.parts() + place; }

 private:
  DataSettings data_;
  double sampling_;
  std::uint64_t seed_;
  TokenizerPair tokenizers_;
  ParallelText all_;
  TestText valid_;
  Index valid_fingerprint_;
  Corpus part_;
  Index part_at_hand_ = -1;
};

}  // namespace glassformer
