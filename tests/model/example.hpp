#pragma once

#include <string>
#include <vector>

#include "glassformer/model/transformer.hpp"
#include "random_values.hpp"

/// A small transformer and a padded batch for it.
namespace glassformer::example {

constexpr Id kSourcePad = 3, kTargetPad = 1, kBegin = 0, kEnd = 2;
constexpr SpecialIdPair kSpecial{{.pad = kSourcePad}, {.pad = kTargetPad}};

inline VocabularyShape vocabulary(Tying tying) {
  return {.source_size = 9, .target_size = tying == Tying::all ? 9 : 7, .special = kSpecial};
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

/// Padded sentence pairs. The ModelInput refers to them.
struct PaddedBatch {
  IdMatrix source, target_input, target_output;
  std::vector<Index> sentences;
  TransformerMasks masks = make_masks(source, target_input, kSpecial);

  void remake_masks() { masks = make_masks(source, target_input, kSpecial); }
  ModelInput input() const { return {source, target_input, target_output, masks}; }
  Pass training() const { return {.training = true, .seed = 17, .update = 3, .sentences = sentences}; }
  Index tokens() const { return (target_output.eigen().array() != kTargetPad).count(); }
};

/// Three sentences of different lengths. The second also has padding in the middle: no tokenizer produces that, but
/// masks must handle it.
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
    while (n > 0 && ids(b, n - 1) == pad) {
      --n;
    }
    return n;
  };
  const Index S = length(whole.source, kSourcePad);
  const Index T = length(whole.target_input, kTargetPad);
  return {.source = buffer_of(whole.source.view().block(b, 0, 1, S)),
          .target_input = buffer_of(whole.target_input.view().block(b, 0, 1, T)),
          .target_output = buffer_of(whole.target_output.view().block(b, 0, 1, T)),
          .sentences = {whole.sentences[static_cast<std::size_t>(b)]}};
}

/// A batch of random sentences of at most the given length, padded.
inline PaddedBatch random_batch(RandomValues& random, Index sentences, Index length) {
  PaddedBatch batch{.source = IdMatrix(sentences, length),
                    .target_input = IdMatrix(sentences, length),
                    .target_output = IdMatrix(sentences, length),
                    .sentences = {},
                    .masks = {}};
  batch.source.fill(kSourcePad);
  batch.target_input.fill(kTargetPad);
  batch.target_output.fill(kTargetPad);
  for (Index b = 0; b < sentences; ++b) {
    batch.sentences.push_back(100 + b);
    const Index S = b == 0 ? length : 1 + random.index(length);
    const Index T = b == 0 ? length : 1 + random.index(length);
    for (Index s = 0; s < S; ++s) {
      batch.source(b, s) = static_cast<Id>(s + 1 == S ? kEnd : 4 + random.index(5));
    }
    batch.target_input(b, 0) = kBegin;
    for (Index t = 0; t < T; ++t) {
      batch.target_output(b, t) = static_cast<Id>(t + 1 == T ? kEnd : 3 + random.index(4));
      if (t + 1 < T) {
        batch.target_input(b, t + 1) = batch.target_output(b, t);
      }
    }
  }
  batch.remake_masks();
  return batch;
}

constexpr double kSmoothing = 0.1;

/// A transformer with its own random weights and a gradient that starts at 0.
template <class Scalar>
struct RandomModel {
  Transformer<Scalar> model;
  Arena<Scalar> weights{model.tensors()}, gradient{model.tensors()};
  LossSum loss;                              // of the last forward
  const Buffer<Scalar>* in_place = nullptr;  // the logits, which become p, then d_logits

  RandomModel(const TransformerSettings& settings, const VocabularyShape& shape, double label_smoothing = kSmoothing)
      : model(settings, shape, label_smoothing) {
    RandomValues(1).fill(weights);
    model.bind(weights, gradient);
  }
  explicit RandomModel(const TransformerSettings& settings)
      : RandomModel(settings, vocabulary(settings.tied_embeddings)) {}

  /// Returns the probabilities [N, V].
  const Buffer<Scalar>& forward(const PaddedBatch& batch, const Pass& pass = {}) {
    const Losses<Scalar> losses = model.forward(pass, batch.input());
    loss = losses;
    in_place = &losses.p;
    return losses.p;
  }
  /// In training mode. Adds the gradient of the summed loss to `gradient`.
  void forward_backward(const PaddedBatch& batch) {
    forward(batch, batch.training());
    model.backward(batch.training(), 1);
  }
};

}  // namespace glassformer::example
