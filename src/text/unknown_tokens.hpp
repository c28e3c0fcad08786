#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "glassformer/text/tokenizer.hpp"

namespace glassformer {

/// How many tokens of a text are not in the vocabulary. All of them become the same token, unk, so the model cannot
/// tell what they mean.
struct UnknownTokens {
  static constexpr double kMany = 0.05;  ///< above this share, the text was probably prepared in the wrong way

  Index tokens = 0;   ///< all tokens, without eos
  Index unknown = 0;  ///< those that became unk
  /// The parts of the text that became unk, and how often each occurs; only the first 100,000 different ones.
  std::unordered_map<std::string, Index> parts;

  /// Counts a line. \pre ids == tokenizer.encode(line)
  void add(const Tokenizer& tokenizer, std::string_view line, std::span<const Id> ids);

  double share() const { return tokens > 0 ? static_cast<double>(unknown) / static_cast<double>(tokens) : 0; }
  bool are_many() const { return share() > kMany; }
  /// The most frequent parts, with their counts: Katze (12), U-Bahn (3)
  std::string examples() const;
  /// 5 of 120 source tokens (4.17%), most often Katze (3), U-Bahn (2). `what` is "source tokens".
  std::string text(const std::string& what) const;
  /// What to do if most of the parts are known in lower case or in another Unicode form; "" if they are not.
  std::string advice_on_form(const Tokenizer& tokenizer) const;
  /// The same; if they are not: to prepare the text like the training text.
  std::string advice(const Tokenizer& tokenizer) const;
  /// "the model does not know 5 of 120 source tokens (...)" and, if they are many, the effect and the advice.
  std::string remark(const Tokenizer& tokenizer, const std::string& what, const std::string& effect) const;
};

}  // namespace glassformer
