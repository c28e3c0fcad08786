#pragma once

#include <span>
#include <string>

namespace glassformer {

/// The bytes of a SentencePiece model (type "word") that cuts a sentence at white space and knows these words: how
/// other tools read what WordTokenizer reads. Two things differ there: unknown words in a row are one, and a word with
/// SentencePiece's own signs in it, U+2581 or U+2585, is unknown.
std::string sentencepiece_model_of_words(std::span<const std::string> words);

}  // namespace glassformer
