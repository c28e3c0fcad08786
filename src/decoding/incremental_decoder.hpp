#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "decoding/key_value_cache.hpp"
#include "model/model.hpp"

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

/// A hypothesis that has just got one more token.
struct Extension {
  Index sentence;  ///< which of the sources it translates
  Index parent;    ///< which row of the step before it continues; says nothing in the first step
  Id token;        ///< the token it has got: bos in the first step
};

/// The transformer's decoder, one token at a time. Teacher forcing knows all tokens of the target and computes them
/// at once; a search knows the next token only after it has seen what the model makes of those before. So each step
/// runs the decoder's layers for one token of each hypothesis, and keeps the keys and values of it for the steps to
/// come. The logits are those of teacher forcing (the same layers compute them), up to rounding.
///
/// There is no future yet, and so no look-ahead mask. (A model trained without one misses the future here.)
///
/// A hypothesis' logits do not depend, to the last bit, on the other sentences of the step, nor on what the decoder did
/// before (see numerics/gemm.hpp); unless the model was taught to see padding, of which longer neighbours make more.
///
/// R rows = running hypotheses of all sentences, D = model width, V = target vocabulary.
template <std::floating_point Scalar>
class IncrementalDecoder {
 public:
  /// The model must outlive it.
  explicit IncrementalDecoder(const Model<Scalar>& model);

  /// Encodes the sources (ids, eos included, none empty). At most `hypotheses` of a sentence will run at a time.
  void start(std::span<const std::span<const Id>> sources, Index hypotheses);

  /// The next step. Rows of one sentence must be neighbours; sentences that have ended are left out. Returns the logits
  /// [R, V] of the tokens that may come next; they live until the next step.
  const Buffer<Scalar>& step(std::span<const Extension> rows);

 private:
  const Buffer<Scalar>& embed(std::span<const Extension> rows);
  const Buffer<Scalar>& self_attention(std::size_t layer, const Buffer<Scalar>& x);
  const Buffer<Scalar>& cross_attention(std::size_t layer, const Buffer<Scalar>& x, std::span<const Extension> rows);

  std::unique_ptr<Transformer<Scalar>> model_;
  EncodedSources<Scalar> sources_;
  KeyValueCache<Scalar> past_;
  std::vector<Index> parents_;         // [R]
  Mask all_visible_;                   // [1, 1, t]
  Buffer<Scalar> embedded_, context_;  // [R, D]
};

}  // namespace glassformer
