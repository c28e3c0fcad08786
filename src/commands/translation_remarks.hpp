#pragma once

#include <string>

#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/text/language_codes.hpp"
#include "glassformer/text/unknown_tokens.hpp"

namespace glassformer {

/// What the user should know about the lines so far and their translations. It is logged once, at the end.
struct TranslationRemarks {
  Index lines = 0;
  Index cut_off = 0, first_cut_off = 0;  // first: the line's number, from 1
  Index too_long = 0, first_too_long = 0;
  UnknownTokens sources;
  LanguageCodes codes;
  Index translated_tokens = 0, translated_unknown = 0;

  /// `trained_length`: the most tokens of a line that training kept; 0 if unknown.
  void add(const Tokenizer& tokenizer, const std::string& line, const Translation& best, Index trained_length);
  void warn(const Tokenizer& tokenizer, const DecodingSettings& decoding, Index trained_length) const;
};

}  // namespace glassformer
