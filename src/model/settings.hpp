#pragma once

#include "layers/activation.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

enum class Norm { post, pre };  ///< where layer normalisation stands: after the residual sum, or before the sublayer
enum class Tying { none, target, all };  ///< which embedding matrices are one: none; target and output; source too

/// The shape of the transformer and how much of it is dropped in training.
struct TransformerSettings {
  Index d_model = 128;
  Index heads = 4;          ///< divides d_model
  Index encoder_layers = 2;
  Index decoder_layers = 2;
  Index d_ff = 512;         ///< width of the feed-forward network
  Norm norm = Norm::post;
  Activation activation = Activation::relu;
  Tying tied_embeddings = Tying::target;
  double dropout = 0.1;            ///< of what each sublayer adds to the residual stream
  double embedding_dropout = 0.1;  ///< of embedding + position
  double attention_dropout = 0.0;  ///< of attention weights
  double activation_dropout = 0.0; ///< of what the feed-forward network's activation gives

  bool operator==(const TransformerSettings&) const = default;
};

}  // namespace glassformer
