#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "model/transformer.hpp"

namespace glassformer {

/// What the decoder must know of the sentences it translates: the keys and values that cross-attention reads,
/// projected once for each sentence and layer, however many hypotheses and steps will read them.
///
/// B sentences, S tokens of one of them, D = model width. The sentences lie one behind the other, without padding; with
/// it where the model is taught without the mask of cross-attention, and S is then the length of the longest.
template <std::floating_point Scalar>
class EncodedSources {
 public:
  /// Forgets the sentences before. `sources`: ids, none empty; fastest where lengths are alike.
  void encode(Transformer<Scalar>& model, std::span<const std::span<const Id>> sources);

  Index size() const { return static_cast<Index>(sentences_.size()); }
  /// Keys and values of one decoder layer, [S, D] each.
  MatrixView<const Scalar> keys(std::size_t layer, Index sentence) const { return block(layer, sentence, 0); }
  MatrixView<const Scalar> values(std::size_t layer, Index sentence) const { return block(layer, sentence, 1); }
  /// Which of them may be seen: [1, 1, S]. (All; unless the sentence itself contains pad, and that is blocked.)
  const Mask& mask(Index sentence) const { return sentences_[static_cast<std::size_t>(sentence)].mask; }

 private:
  struct Sentence {
    Index first_row = 0;
    Mask mask;
  };
  MatrixView<const Scalar> block(std::size_t layer, Index sentence, Index half) const {
    const Buffer<Scalar>& both = key_value_[layer];
    const Index width = both.cols() / 2;
    return both.view().block(sentences_[static_cast<std::size_t>(sentence)].first_row, half * width,
                             mask(sentence).keys(), width);
  }

  std::vector<Sentence> sentences_;
  std::vector<Buffer<Scalar>> key_value_;  // for each layer [rows of all sentences, 2D]
};

}  // namespace glassformer
