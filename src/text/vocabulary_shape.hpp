#pragma once

#include "model/settings.hpp"
#include "text/tokenizer.hpp"

namespace glassformer {

/// The shape of the vocabularies that these tokenizers have.
inline VocabularyShape vocabulary_shape(const TokenizerPair& tokenizers) {
  return {tokenizers.source->vocabulary_size(),
          tokenizers.target->vocabulary_size(),
          {tokenizers.source->special().pad, tokenizers.target->special().pad}};
}

}  // namespace glassformer
