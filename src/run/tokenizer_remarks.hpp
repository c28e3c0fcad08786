#pragma once

#include <optional>
#include <string>

#include "glassformer/run/text_census.hpp"
#include "glassformer/run/training_plan.hpp"
#include "glassformer/run/training_text.hpp"

namespace glassformer {

/// Says what the tokenizers of a run cannot represent, and what the user can do about it.
class TokenizerRemarks {
 public:
  /// Both must outlive this.
  TokenizerRemarks(const TrainingText& text, const TrainingPlan& plan);

  /// About the unknown words on one side of a text, which `place` names; nothing if there are few or none.
  /// `trained`: the same side of the training text, or nullptr if this is the training text
  std::optional<Remark> on_unknown_words(const std::string& place, const Tokenizer& tokenizer, const SideCensus& side,
                                         const SideCensus* trained) const;
  /// About targets that change when they are encoded and decoded: even a perfect model cannot produce them.
  std::optional<Remark> on_round_trip() const;

 private:
  bool is_learned(const Tokenizer& tokenizer) const;
  std::string advice_on_unknown(const Tokenizer& tokenizer, const SideCensus& side, const SideCensus* trained) const;
  std::string advice_on_learned(const SideCensus& side, bool is_training) const;
  std::string advice_on_normalization() const;

  const TrainingText& text_;
  const TokenizerSettings& tokenizer_;
  const bool is_new_;  // the run does not start from another model, which would bring its tokenizers
};

}  // namespace glassformer
