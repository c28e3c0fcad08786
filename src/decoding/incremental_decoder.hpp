#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "decoding/key_value_cache.hpp"
#include "model/model.hpp"

namespace glassformer {

/// What the decoder needs from the sentences it translates: the keys and values that cross-attention reads. They are
/// projected only once per sentence and layer, and then serve all hypotheses and steps.
///
/// B sentences, S tokens in one of them, D = model width. Sentences are stored consecutively, without padding. For a
/// model trained without the cross-attention mask, they include padding, and S is the length of the longest.
template <std::floating_point Scalar>
class EncodedSources {
 public:
  /// Replaces the previous sentences. `sources`: ids, none empty; fastest if lengths are similar.
  void encode(Transformer<Scalar>& model, std::span<const std::span<const Id>> sources);

  Index size() const { return static_cast<Index>(sentences_.size()); }
  /// Keys and values of one decoder layer, [S, D] each.
  MatrixView<const Scalar> keys(std::size_t layer, Index sentence) const { return block(layer, sentence, 0); }
  MatrixView<const Scalar> values(std::size_t layer, Index sentence) const { return block(layer, sentence, 1); }
  /// The mask of these keys: [1, 1, S]. (Blocks nothing unless the sentence itself contains pad and pad is masked.)
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

/// A hypothesis extended by one token.
struct Extension {
  Index sentence;  ///< the source that it translates
  Index parent;    ///< the row of the previous step that it extends; ignored in the first step
  Id token;        ///< the new token; bos in the first step
};

/// The transformer's decoder, one token at a time. In teacher forcing all target tokens are known, so all positions
/// are computed at once. A search knows the next token only after it has the logits of the previous ones. So each step
/// runs the decoder layers for one token of each hypothesis, and caches its keys and values for later steps. The layers
/// are the same as in teacher forcing, so the logits are the same up to rounding.
///
/// No look-ahead mask is needed, whether or not the model was trained with one: there are no future tokens yet.
///
/// The other sentences of a step, and earlier calls, do not change a single bit of a hypothesis's logits (see
/// numerics/gemm.hpp). The exception is a model trained to see padding: longer neighbours mean more padding.
///
/// R rows = running hypotheses of all sentences, D = model width, V = target vocabulary.
template <std::floating_point Scalar>
class IncrementalDecoder {
 public:
  /// The model must outlive the decoder.
  explicit IncrementalDecoder(const Model<Scalar>& model);

  /// Encodes the sources (ids, eos included, none empty). Each may have at most `hypotheses` running at a time.
  void start(std::span<const std::span<const Id>> sources, Index hypotheses);

  /// The next step. The rows of one sentence must be adjacent; leave out sentences that are done. Returns the logits
  /// [R, V] of the next tokens, which are valid until the next step.
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
