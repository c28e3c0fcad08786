#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/tokenizer.hpp"

namespace glassformer {

/// What is noticed about one side of a text while it is tokenized.
struct SideCensus {
  Index tokens = 0, unknown = 0;                 ///< unknown: the tokens that are unk
  std::unordered_map<std::string, Index> words;  ///< the texts of the unknown tokens, the first 100,000 different ones
  Index with_at_signs = 0, with_word_marks = 0;  ///< lines that subword-nmt (@@) or SentencePiece (U+2581) has split
  Index with_carriage_returns = 0;               ///< lines with CR inside

  void add(const Tokenizer& tokenizer, std::string_view line, std::span<const Id> ids);
  /// The most frequent unknown words, with their counts: "foo (12), bar (3)".
  std::string examples() const;
};

/// What is noticed about a parallel text.
struct TextCensus {
  SideCensus source, target;
  Index pairs = 0, equal = 0;  ///< equal: pairs whose target is the source

  void add(const TokenizerPair& tokenizers, std::string_view source_line, std::span<const Id> source_ids,
           std::string_view target_line, std::span<const Id> target_ids);
};

}  // namespace glassformer
