#pragma once

#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// A padding id without a row in any embedding table, for models from other tools whose padding id is also their bos.
constexpr Id kNoToken = -1;

/// The four ids of a vocabulary that are not words. They come from the tokenizer: no other code may assume their
/// values.
struct SpecialIds {
  Id pad = 0;  ///< fills a batch up to its longest sentence; masked and never trained on; may be kNoToken
  Id bos = 1;  ///< starts the decoder's input
  Id eos = 2;  ///< ends every sentence
  Id unk = 3;  ///< stands for words that are not in the vocabulary
};

/// Those of both vocabularies.
struct SpecialIdPair {
  SpecialIds source = {};
  SpecialIds target = {};
};

}  // namespace glassformer
