#pragma once

#include <optional>
#include <vector>

#include "layers/cross_entropy.hpp"
#include "layers/embedding.hpp"
#include "model/decoder_layer.hpp"
#include "model/encoder_layer.hpp"
#include "model/settings.hpp"

namespace glassformer {

/// The three matrices of ids of a padded batch, and what follows from them.
struct ModelInput {
  const IdMatrix& source;         ///< [B, S]
  const IdMatrix& target_input;   ///< [B, T] bos + target: what the decoder reads
  const IdMatrix& target_output;  ///< [B, T] target + eos: what it is asked for
  const TransformerMasks& masks;
};

/// The transformer (Vaswani et al. 2017, figure 1):
///
///   memory = encoder layers(embedding(source))
///   state  = decoder layers(embedding(target_input), memory)
///   logits = state E^T + b          E: the target embedding, or a matrix of its own
///   loss   = cross-entropy(logits, target_output)
///
/// The decoder is taught by forcing: it reads the right words so far, whatever it would have said itself.
/// N = B * T rows, M = B * S rows, D = model width, V = target vocabulary.
template <std::floating_point Scalar_>
struct Transformer {
  using Scalar = Scalar_;

  /// All that is learned. A gradient is the same struct, bound to another arena.
  struct Parameters {
    using Scalar = Scalar_;
    MatrixView<Scalar> source_embedding;       // [source vocabulary, D]
    MatrixView<Scalar> target_embedding;       // [V, D]; tied: all - the same memory as source_embedding
    typename Linear<Scalar>::Parameters output;  // weight [V, D]; tied: the same memory as target_embedding
    std::vector<typename EncoderLayer<Scalar>::Parameters> encoder;
    std::vector<typename DecoderLayer<Scalar>::Parameters> decoder;
    std::optional<typename LayerNorm<Scalar>::Parameters> encoder_norm;  // pre-norm only
    std::optional<typename LayerNorm<Scalar>::Parameters> decoder_norm;
    Parameters(ArenaCursor<Scalar>& cursor, const TransformerSettings& settings, const VocabularyShape& vocabulary);
  };
  /// What backward must remember of forward, and room for its results. Buffers only grow.
  struct Cache {
    typename Embedding<Scalar>::Cache source_embedding, target_embedding;
    std::vector<typename EncoderLayer<Scalar>::Cache> encoder;
    std::vector<typename DecoderLayer<Scalar>::Cache> decoder;
    typename LayerNorm<Scalar>::Cache encoder_norm, decoder_norm;      // pre-norm only
    Buffer<Scalar> normed_memory, normed_state;                        // pre-norm only
    Buffer<Scalar> logits;  // [N, V] after forward: p; after backward: d_logits
    typename CrossEntropy<Scalar>::Cache cross_entropy;
    Buffer<Scalar> d_state, d_normed;                                  // room for backward
    Buffer<Scalar> d_memory;                                           // [M, D] sum over the decoder's layers
  };

  /// The model's settings and vocabulary, which all of its functions need.
  TransformerSettings settings;
  VocabularyShape vocabulary;

  /// The masks of a padded batch: those that the model is taught with. source [B, S], target_input [B, T].
  TransformerMasks masks(const IdMatrix& source, const IdMatrix& target_input) const {
    return make_masks(source, vocabulary.source_pad, target_input, vocabulary.target_pad, settings.masks);
  }

  /// source [B, S] gives the memory [M, D], which lives in the cache.
  const Buffer<Scalar>& encode(const Parameters& p, const IdMatrix& source, const Mask& padding, const Pass& pass,
                               Cache& cache, const Recorder& recorder = {}) const;
  /// target_input [B, T] and memory [M, D] give the logits [N, V], which live in the cache.
  const Buffer<Scalar>& decode(const Parameters& p, const IdMatrix& target_input, const Buffer<Scalar>& memory,
                               const TransformerMasks& masks, const Pass& pass, Cache& cache,
                               const Recorder& recorder = {}) const;
  /// All the way to the loss. A recorder hears of every equation on it, and on the way back.
  LossSum forward(const Parameters& p, const ModelInput& input, double label_smoothing, const Pass& pass,
                  Cache& cache, const Recorder& recorder = {}) const;
  /// All the way back: adds to every parameter's gradient. d_loss as in CrossEntropy::backward.
  void backward(const Parameters& p, const ModelInput& input, double label_smoothing, Scalar d_loss, Cache& cache,
                Parameters& grad, const Recorder& recorder = {}) const;

 private:
  const Buffer<Scalar>& state(const Cache& cache) const;   // the decoder's last word, before the output map
  const Buffer<Scalar>& memory(const Cache& cache) const;  // the encoder's

  void backward_decoder(const Parameters& p, const ModelInput& input, Cache& cache, Parameters& grad,
                        const Recorder& recorder) const;
  void backward_encoder(const Parameters& p, const ModelInput& input, Cache& cache, Parameters& grad,
                        const Recorder& recorder) const;
};

}  // namespace glassformer
