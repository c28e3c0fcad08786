#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "glassformer/layers/masks.hpp"

namespace glassformer {

/// The keys and values that cross-attention reads for sentences that are translated token by token, in one decoder
/// layer. They depend only on the encoder's output, so they are projected once, and then serve all hypotheses and
/// steps. This is a view: the layer that projected them owns them, and the decoder owns the masks.
///
/// B sentences, S keys of one of them, D = model width. For a model trained without the cross-attention mask, the keys
/// include padding, and S is the length of the longest sentence.
template <std::floating_point Scalar>
struct EncodedSources {
  MatrixView<const Scalar> key_value;  ///< [B * padded length, 2D] of the padded sentences
  std::span<const Mask> masks;         ///< [B], each [1, 1, S]: how many keys a sentence has, and which are blocked

  /// Keys and values of one sentence, [S, D] each, and their mask.
  MatrixView<const Scalar> keys(Index sentence) const { return block(sentence, 0); }
  MatrixView<const Scalar> values(Index sentence) const { return block(sentence, 1); }
  const Mask& mask(Index sentence) const { return masks[static_cast<std::size_t>(sentence)]; }

 private:
  MatrixView<const Scalar> block(Index sentence, Index half) const {
    const Index padded_length = key_value.rows() / std::ssize(masks);
    const Index width = key_value.cols() / 2;
    return key_value.block(sentence * padded_length, half * width, mask(sentence).keys(), width);
  }
};

}  // namespace glassformer
