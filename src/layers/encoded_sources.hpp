#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "glassformer/layers/masks.hpp"

namespace glassformer {

/// The keys and values that cross-attention reads for sentences that are translated token by token, in one decoder
/// layer. They depend only on the encoder's output, so they are projected once, and then serve all hypotheses and
/// steps.
///
/// B sentences, S keys of one of them, D = model width. Sentences are stored consecutively, without padding. For a
/// model trained without the cross-attention mask, they include padding, and S is the length of the longest.
template <std::floating_point Scalar>
class EncodedSources {
 public:
  /// Replaces the previous sentences. Each mask, [1, 1, S], says how many keys of a sentence to store, and which of
  /// these are blocked. `key_value` [B * padded length, 2D] holds the keys and values of the padded sentences. The
  /// masks must exist, unchanged, until the next call or the end of this object.
  void store(MatrixView<const Scalar> key_value, std::span<const Mask> masks);

  /// Keys and values of one sentence, [S, D] each, and their mask.
  MatrixView<const Scalar> keys(Index sentence) const { return block(sentence, 0); }
  MatrixView<const Scalar> values(Index sentence) const { return block(sentence, 1); }
  const Mask& mask(Index sentence) const { return masks_[static_cast<std::size_t>(sentence)]; }

 private:
  MatrixView<const Scalar> block(Index sentence, Index half) const {
    const Index width = key_value_.cols() / 2;
    const Index first_row = first_rows_[static_cast<std::size_t>(sentence)];
    return key_value_.view().block(first_row, half * width, mask(sentence).keys(), width);
  }

  std::span<const Mask> masks_;    // [B]
  std::vector<Index> first_rows_;  // [B] of each sentence
  Buffer<Scalar> key_value_;       // [rows of all sentences, 2D]
};

}  // namespace glassformer
