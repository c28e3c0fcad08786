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
  /// What to do: lowercase the text, if most of these words are known in lower case; or else prepare it as the training
  /// text was.
  std::string advice() const;
};

}  // namespace glassformer
