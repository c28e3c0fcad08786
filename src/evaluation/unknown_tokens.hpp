#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.hpp"

namespace glassformer {

/// How many tokens of a text are not in the vocabulary. All of them become the same token, unk, so the model cannot
/// tell what they mean.
struct UnknownTokens {
  static constexpr std::size_t kExamples = 3;
  static constexpr double kMany = 0.05;  ///< from which share on the text is likely to be prepared in a wrong way

  Index tokens = 0;                   ///< all tokens, without eos
  Index unknown = 0;                  ///< those that became unk
  Index words = 0;                    ///< words with an unk in them
  Index known_in_lower_case = 0;      ///< of these words, how many have no unk once they are in lower case
  std::vector<std::string> examples;  ///< the first different ones: words or, from a word with known parts, characters

  /// Counts a line. \pre ids == tokenizer.encode(line)
  void add(const Tokenizer& tokenizer, std::string_view line, std::span<const Id> ids);

  double share() const { return tokens > 0 ? static_cast<double>(unknown) / static_cast<double>(tokens) : 0; }
  /// 5 of 120 source tokens (4.17%), such as "Katze", "U-Bahn". `what` is "source tokens".
  std::string text(const std::string& what) const;
  bool are_many() const { return share() > kMany; }
  /// What to do: lowercase the text, if most of these words are known in lower case; or else prepare it like the
  /// training text.
  std::string advice() const;
  /// "the model does not know 5 of 120 source tokens (...)" and, if they are many, the effect and the advice.
  std::string remark(const std::string& what, const std::string& effect) const;
};

/// Sentences without the code of a target language, such as ">>deu<<", which a model may need.
struct LanguageCodes {
  Index sentences = 0;     ///< without empty lines
  Index without_code = 0;  ///< of these, how many begin with none

  void add(std::string_view line);
  /// What is wrong with these sentences, and what to do; "" if nothing is, or if the model has no codes.
  std::string advice(const Tokenizer& source) const;
};

}  // namespace glassformer
