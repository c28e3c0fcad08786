#pragma once

#include "layers/add_and_norm.hpp"
#include "layers/attention.hpp"
#include "layers/embedding.hpp"
#include "layers/feed_forward.hpp"
#include "layers/masks.hpp"
#include "numerics/matrix.hpp"

namespace glassformer {

/// Which embedding matrices are one: none; target and output; source too.
enum class Tying { none, target, all };

/// The shape of the transformer, how much of it is dropped in training, and what its attention does not see.
struct TransformerSettings {
  Index d_model = 128;
  Index heads = 4;  ///< divides d_model
  Index encoder_layers = 2;
  Index decoder_layers = 2;
  Index d_ff = 512;  ///< width of the feed-forward network
  Norm norm = Norm::post;
  Activation activation = Activation::relu;
  Tying tied_embeddings = Tying::target;
  bool scale_embeddings = true;     ///< by sqrt(d_model), before positions are added
  double dropout = 0.1;             ///< of what each sublayer adds to the residual stream
  double embedding_dropout = 0.1;   ///< of embedding + position
  double attention_dropout = 0.0;   ///< of attention weights
  double activation_dropout = 0.0;  ///< of what the feed-forward network's activation gives
  double initial_gain = 1.0;        ///< factor of the initial value, output and feed-forward maps; see initialize
  MaskSettings masks = {};          ///< used in training, and so also when the model translates

  bool operator==(const TransformerSettings&) const = default;

  // What each layer needs of it.
  AttentionSettings attention() const { return {d_model, heads, attention_dropout}; }
  FeedForwardSettings feed_forward() const { return {d_model, d_ff, activation, activation_dropout}; }
  AddAndNormSettings add_and_norm() const { return {norm, d_model, dropout}; }
  EmbeddingSettings embedding(Id pad) const { return {pad, scale_embeddings, embedding_dropout}; }
};

/// What the model must know of its vocabularies. Which ids are padding is a setting handed down, never a constant.
struct VocabularyShape {
  Index source_size = 0;
  Index target_size = 0;  ///< equal to source_size where all embeddings are tied
  PadIds pad = {};        ///< no row of any table if negative
};

}  // namespace glassformer
