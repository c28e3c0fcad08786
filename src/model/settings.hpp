#pragma once

#include <array>

#include "glassformer/layers/add_and_norm.hpp"
#include "glassformer/layers/attention.hpp"
#include "glassformer/layers/embedding.hpp"
#include "glassformer/layers/feed_forward.hpp"
#include "glassformer/model/masks.hpp"
#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// Which embedding matrices are tied: none; target and output; or source, target and output.
enum class Tying { none, target, all };
inline constexpr std::array kTyingNames = {"none", "target", "all"};  ///< in the order of the enum

/// The transformer's shape, dropout rates and attention masks.
struct TransformerSettings {
  Index d_model = 128;
  Index heads = 4;  ///< must divide d_model
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
  double activation_dropout = 0.0;  ///< of the feed-forward network's activations
  bool scale_scores = true;         ///< divides attention's scores by sqrt(d_head); for lessons: false shows what for
  bool positions = true;            ///< adds positions to embeddings; for lessons, too
  bool residual = true;             ///< adds each sublayer's input to its output; for lessons, too
  double initial_gain = 1.0;        ///< scales value, output and feed-forward maps at the start; see initialize
  MaskSettings masks = {};          ///< used in training, and therefore also in translation

  bool operator==(const TransformerSettings&) const = default;

  // The settings of each layer.
  AttentionSettings attention() const { return {d_model, heads, attention_dropout, scale_scores}; }
  FeedForwardSettings feed_forward() const { return {d_model, d_ff, activation, activation_dropout}; }
  AddAndNormSettings add_and_norm() const { return {norm, d_model, dropout, residual}; }
  EmbeddingSettings embedding(Id pad) const { return {pad, scale_embeddings, embedding_dropout, positions}; }
};

/// What the model needs to know about its vocabularies. The special ids are always passed in, never hard-coded.
struct VocabularyShape {
  Index source_size = 0;
  Index target_size = 0;       ///< equal to source_size if all embeddings are tied
  SpecialIdPair special = {};  ///< a negative pad is not a row of any embedding table
};

}  // namespace glassformer
