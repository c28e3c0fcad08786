#pragma once

#include <string>
#include <string_view>

#include "glassformer/text/tokenizer.hpp"

namespace glassformer {

/// The language code at the start of a sentence, such as ">>deu<<"; "" if there is none.
std::string_view language_code(std::string_view sentence);

/// Sentences without the code of a target language, such as ">>deu<<", which a model may need.
struct LanguageCodes {
  Index sentences = 0;     ///< without empty lines
  Index without_code = 0;  ///< how many of these do not begin with a code

  void add(std::string_view line);
  /// What is wrong with these sentences, and what to do; "" if nothing is, or if the model has no codes.
  std::string advice(const Tokenizer& source) const;
};

}  // namespace glassformer
