#pragma once

#include <concepts>
#include <vector>

#include "layers/masks.hpp"

namespace glassformer {

/// The keys and values that cross-attention reads for sentences that are translated token by token. They depend only on
/// the encoder's output, so they are projected once per sentence and layer, and then serve all hypotheses and steps.
///
/// B sentences, S keys of one of them, D = model width. Sentences are stored consecutively, without padding. For a
/// model trained without the cross-attention mask, they include padding, and S is the length of the longest.
template <std::floating_point Scalar>
class EncodedSources {
 public:
  /// Replaces the previous sentences. Each mask, [1, 1, S], says how many keys of a sentence to store, and which of
  /// these are blocked.
  void start(std::size_t layers, std::vector<Mask> masks);

  Index size() const { return static_cast<Index>(sentences_.size()); }

  /// The keys and values of one decoder layer. A copy refers to the same sentences.
  class Layer {
   public:
    /// Stores the keys and values [B * padded length, 2D] of all sentences, except those after a sentence's S.
    void store(MatrixView<const Scalar> key_value) const { sources_->store(layer_, key_value); }
    /// Keys and values of one sentence, [S, D] each, and their mask.
    MatrixView<const Scalar> keys(Index sentence) const { return sources_->block(layer_, sentence, 0); }
    MatrixView<const Scalar> values(Index sentence) const { return sources_->block(layer_, sentence, 1); }
    const Mask& mask(Index sentence) const { return sources_->sentence(sentence).mask; }

   private:
    friend EncodedSources;
    Layer(EncodedSources& sources, std::size_t layer) : sources_(&sources), layer_(layer) {}

    EncodedSources* sources_;
    std::size_t layer_;
  };
  Layer layer(std::size_t number) { return Layer(*this, number); }

 private:
  struct Sentence {
    Index first_row = 0;
    Mask mask;
  };
  const Sentence& sentence(Index number) const { return sentences_[static_cast<std::size_t>(number)]; }
  MatrixView<const Scalar> block(std::size_t layer, Index number, Index half) const {
    const Buffer<Scalar>& both = key_value_[layer];
    const Index width = both.cols() / 2;
    return both.view().block(sentence(number).first_row, half * width, sentence(number).mask.keys(), width);
  }
  void store(std::size_t layer, MatrixView<const Scalar> key_value);

  Index rows_ = 0;  // of all sentences
  std::vector<Sentence> sentences_;
  std::vector<Buffer<Scalar>> key_value_;  // for each layer [rows, 2D]
};

}  // namespace glassformer
