#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "glassformer/layers/cross_entropy.hpp"
#include "glassformer/layers/embedding.hpp"
#include "glassformer/model/decoder_layer.hpp"
#include "glassformer/model/encoder_layer.hpp"
#include "glassformer/model/settings.hpp"

namespace glassformer {

/// A padded batch as the model reads it.
struct ModelInput {
  const IdMatrix& source;         ///< [B, S]
  const IdMatrix& target_input;   ///< [B, T] bos + target: what the decoder reads
  const IdMatrix& target_output;  ///< [B, T] target + eos: what it must predict
  const TransformerMasks& masks;
};

/// The transformer (Vaswani et al. 2017, figure 1):
///
///   memory = encoder layers(embedding(source))
///   state  = decoder layers(embedding(target_input), memory)
///   logits = state E^T + b          E: the target embedding, or a separate matrix
///   loss   = cross-entropy(logits, target_output)
///
/// The decoder is trained by teacher forcing: it reads the correct previous tokens, whatever it would have predicted.
///
/// A transformer belongs to one thread, because its layers save what backward needs. It does not own its weights (see
/// bind()), so transformers can share them. It cannot be copied or moved, because its parameters point to `bound_`.
/// N = B * T rows of the decoder, M = B * S rows of the encoder, D = model width, V = target vocabulary.
template <std::floating_point Scalar>
class Transformer {
 private:
  // Declared first: members are constructed in the order of declaration, and the layers need these two.
  BoundMemory<Scalar> bound_;
  Construction<Scalar> construction_;

 public:
  const TransformerSettings settings;
  const VocabularyShape vocabulary;

  // In arena order.
  Embedding<Scalar> source_embedding;  // [source vocabulary, D]
  Embedding<Scalar> target_embedding;  // [V, D]; if Tying::all, the same tensor as source_embedding's
  Linear<Scalar> output;               // D to V; unless Tying::none, its weight is target_embedding's tensor
  std::vector<EncoderLayer<Scalar>> encoder_layers;
  std::vector<DecoderLayer<Scalar>> decoder_layers;
  std::optional<NormLayer<Scalar>> encoder_norm, decoder_norm;  // pre-norm only
  CrossEntropy<Scalar> cross_entropy;

  Transformer(const TransformerSettings& shape, const VocabularyShape& vocabulary_shape, double label_smoothing = 0);
  Transformer(const Transformer&) = delete;
  Transformer& operator=(const Transformer&) = delete;

  /// All parameters, in arena order.
  const std::vector<TensorPlace>& tensors() const { return construction_.cursor.tensors(); }
  /// What each part is, by its name in a recording.
  const std::map<std::string, PartInfo>& parts() const { return construction_.parts; }
  /// From now on, parameters are read from `weights`, and backward adds to `gradient`, both laid out like tensors().
  void bind(const Arena<Scalar>& weights) { bound_ = {weights.values().data()}; }
  void bind(const Arena<Scalar>& weights, Arena<Scalar>& gradient) {
    bound_ = {weights.values().data(), gradient.values().data()};
  }
  /// The same, for a search: linear maps use copies of the weights, kept in `packed`, which are faster.
  void bind(const Arena<Scalar>& weights, PackedWeights<Scalar>& packed) {
    bound_ = {weights.values().data(), nullptr, &packed};
  }

  /// The masks of a padded batch, according to settings.masks. source [B, S], target_input [B, T].
  TransformerMasks masks(const IdMatrix& source, const IdMatrix& target_input, TransformerMasks reused = {}) const {
    return make_masks(source, target_input, vocabulary.special, settings.masks, std::move(reused));
  }

  /// Maps source [B, S] to memory [M, D].
  const Buffer<Scalar>& encode(const Pass& pass, const IdMatrix& source, const Mask& padding);
  /// Maps target_input [B, T] and memory [M, D] to logits [N, V].
  Buffer<Scalar>& decode(const Pass& pass, const IdMatrix& target_input, const Buffer<Scalar>& memory,
                         const TransformerMasks& masks);
  /// Maps the result of the last decoder layer [N, D] to logits [N, V].
  Buffer<Scalar>& logits(const Pass& pass, const Buffer<Scalar>& y);
  /// The whole forward pass, including the loss. The results are valid until backward, which overwrites p.
  Losses<Scalar> forward(const Pass& pass, const ModelInput& input);
  /// The whole backward pass: adds to the gradient of every parameter. d_loss is as in CrossEntropy.
  void backward(const Pass& pass, Scalar d_loss);

 private:
  void backward_decoder(const Pass& pass, const Buffer<Scalar>& d_logits);
  void backward_encoder(const Pass& pass);

  const Buffer<Scalar>* memory_ = nullptr;  // [M, D] argument of decode
  Buffer<Scalar> d_memory_;                 // [M, D] sum over the decoder layers
};

}  // namespace glassformer
