#pragma once

#include <span>
#include <string_view>

#include "glassformer/text/subword_marks.hpp"
#include "glassformer/text/unknown_tokens.hpp"

namespace glassformer {

/// What is noticed about one side of a text while it is tokenized.
struct SideCensus {
  UnknownTokens unknown;
  SubwordMarks marks;
  Index with_carriage_returns = 0;  ///< lines with CR inside

  void add(const Tokenizer& tokenizer, std::string_view line, std::span<const Id> ids);
};

/// What is noticed about a parallel text.
struct TextCensus {
  SideCensus source, target;
  Index pairs = 0, equal = 0;  ///< equal: pairs whose target is the source

  void add(const TokenizerPair& tokenizers, std::string_view source_line, std::span<const Id> source_ids,
           std::string_view target_line, std::span<const Id> target_ids);
};

}  // namespace glassformer
