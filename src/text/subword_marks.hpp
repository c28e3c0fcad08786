#pragma once

#include <string>
#include <string_view>

#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// Signs that another tool has already split a text into subwords.
struct SubwordMarks {
  Index words = 0;     ///< split at white space
  Index at_signs = 0;  ///< of these, words that end in @@, as subword-nmt writes them: Hu@@ nd
  Index bars = 0;      ///< words that start with U+2581, as SentencePiece writes them

  void add(std::string_view line);

  bool are_bars() const { return bars > at_signs; }  ///< which of the two marks the text has
  /// Whether the text looks split: at least one word in a hundred has a mark.
  bool are_many() const;
  /// 2 of 3 words have a subword marker (@@, as subword-nmt writes it)
  std::string text() const;
  /// A command that joins the pieces of a file.
  std::string command() const;
};

}  // namespace glassformer
