#pragma once

#include <string>
#include <vector>

#include "model/transformer.hpp"
#include "random_values.hpp"

/// A small transformer and a padded batch for it.
namespace glassformer::example {

constexpr Id kSourcePad = 3, kTargetPad = 1, kBegin = 0, kEnd = 2;

inline VocabularyShape vocabulary(Tying tying) {
  return {.source_size = 9,
          .target_size = tying == Tying::all ? 9 : 7,
          .source_pad = kSourcePad,
          .target_pad = kTargetPad};
}

inline TransformerSettings settings(Norm norm, Tying tying, Activation activation = Activation::gelu) {
  return {.d_model = 8,
          .heads = 2,
          .encoder_layers = 2,
          .decoder_layers = 2,
          .d_ff = 10,
          .norm = norm,
          .activation = activation,
          .tied_embeddings = tying,
          .dropout = 0,
          .embedding_dropout = 0,
          .attention_dropout = 0,
          .activation_dropout = 0};
}

/// The same with dropout at all four places.
inline TransformerSettings with_dropout(TransformerSettings settings) {
  settings.dropout = 0.2;
  settings.embedding_dropout = 0.3;
  settings.attention_dropout = 0.25;
  settings.activation_dropout = 0.15;
  return settings;
}

/// Sentence pairs side by side. The ModelInput refers to it.
struct PaddedBatch {
  IdMatrix source, target_input, target_output;
  std::vector<Index> sentences;
  TransformerMasks masks = make_masks(source, kSourcePad, target_input, kTargetPad);

  ModelInput input() const { return {source, target_input, target_output, masks}; }
  Pass training() const { return {.training = true, .seed = 17, .update = 3, .sentences = sentences}; }
  Index tokens() const { return (target_output.array() != kTargetPad).count(); }
};

/// Three ragged sentences. The second has padding in its midst, too, which no tokenizer makes but a mask must bear.
inline PaddedBatch batch() {
  return {.source = IdMatrix{{5, 4, 8, 6, 2}, {7, 3, 5, 2, 3}, {6, 2, 3, 3, 3}},
          .target_input = IdMatrix{{0, 5, 6, 4}, {0, 3, 1, 1}, {0, 4, 6, 1}},
          .target_output = IdMatrix{{5, 6, 4, 2}, {3, 2, 1, 1}, {4, 6, 2, 1}},
          .sentences = {40, 7, 12}};
}

/// Sentence b of the batch alone, without the padding at its end.
inline PaddedBatch alone(const PaddedBatch& whole, Index b) {
  const auto length = [b](const IdMatrix& ids, Id pad) {
    Index n = ids.cols();
    while (n > 0 && ids(b, n - 1) == pad) --n;
    return n;
  };
  const Index S = length(whole.source, kSourcePad), T = length(whole.target_input, kTargetPad);
  return {.source = whole.source.row(b).head(S),
          .target_input = whole.target_input.row(b).head(T),
          .target_output = whole.target_output.row(b).head(T),
          .sentences = {whole.sentences[static_cast<std::size_t>(b)]}};
}

/// A batch of random sentences of at most the given length, padded.
inline PaddedBatch random_batch(RandomValues& random, Index sentences, Index length) {
  PaddedBatch batch{.source = IdMatrix::Constant(sentences, length, kSourcePad),
                    .target_input = IdMatrix::Constant(sentences, length, kTargetPad),
                    .target_output = IdMatrix::Constant(sentences, length, kTargetPad),
                    .sentences = {}};
  for (Index b = 0; b < sentences; ++b) {
    batch.sentences.push_back(100 + b);
    const Index S = b == 0 ? length : 1 + random.index(length), T = b == 0 ? length : 1 + random.index(length);
    for (Index s = 0; s < S; ++s) batch.source(b, s) = static_cast<Id>(s + 1 == S ? kEnd : 4 + random.index(5));
    batch.target_input(b, 0) = kBegin;
    for (Index t = 0; t < T; ++t) {
      batch.target_output(b, t) = static_cast<Id>(t + 1 == T ? kEnd : 3 + random.index(4));
      if (t + 1 < T) batch.target_input(b, t + 1) = batch.target_output(b, t);
    }
  }
  batch.masks = make_masks(batch.source, kSourcePad, batch.target_input, kTargetPad);
  return batch;
}

template <class Scalar>
using LearnedModel = Learned<typename Transformer<Scalar>::Parameters, Scalar>;

}  // namespace glassformer::example
