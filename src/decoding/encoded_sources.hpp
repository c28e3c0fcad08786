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
  void encode(const Transformer<Scalar>& model, const typename Transformer<Scalar>::Parameters& p,
              std::span<const std::span<const Id>> sources);

  Index size() const { return static_cast<Index>(sentences_.size()); }
  /// Keys and values of one decoder layer, [S, D] each.
  auto keys(std::size_t layer, Index sentence) const { return block(layer, sentence, 0); }
  auto values(std::size_t layer, Index sentence) const { return block(layer, sentence, 1); }
  /// Which of them may be seen: [1, 1, S]. (All; unless the sentence itself contains pad, and that is blocked.)
  const Mask& mask(Index sentence) const { return sentences_[static_cast<std::size_t>(sentence)].mask; }

 private:
  struct Sentence {
    Index first_row = 0;
    Mask mask;
  };
  auto block(std::size_t layer, Index sentence, Index half) const {
    const Buffer<Scalar>& both = key_value_[layer];
    const Index width = both.cols() / 2;
    return both.block(sentences_[static_cast<std::size_t>(sentence)].first_row, half * width, mask(sentence).keys(),
                      width);
  }

  std::vector<Sentence> sentences_;
  std::vector<Buffer<Scalar>> key_value_;           // for each layer [rows of all sentences, 2D]
  typename Transformer<Scalar>::Cache cache_;       // the encoder's
  Buffer<Scalar> projected_;                        // [B*S, 2D]
};

}  // namespace glassformer
