#pragma once

#include <array>
#include <optional>

#include "glassformer/layers/add_and_norm.hpp"
#include "glassformer/layers/attention.hpp"
#include "glassformer/layers/embedding.hpp"
#include "glassformer/layers/feed_forward.hpp"
#include "glassformer/model/masks.hpp"
#include "glassformer/numerics/matrix.hpp"
#include "glassformer/numerics/random.hpp"
#include "glassformer/numerics/setting.hpp"

namespace glassformer {

/// Which embedding matrices are tied: none; target and output; or source, target and output.
enum class Tying { none, target, all };
inline constexpr std::array kTyingNames = {"none", "target", "all"};  ///< in the order of the enum

// Within these limits, no product of sizes overflows.
inline constexpr Index kMostWidth = 100'000;      ///< d_model
inline constexpr Index kMostHidden = 1'000'000;   ///< d_ff
inline constexpr Index kMostLayers = 1000;        ///< encoder_layers and decoder_layers
inline constexpr Index kMostHeads = kMostGroups;  ///< with more, dropout would give two heads the same random numbers

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
  double initial_gain = 1.0;        ///< scales value, output and feed-forward maps at the start; see initialize
  MaskSettings masks = {};          ///< used in training, and therefore also in translation

  bool operator==(const TransformerSettings&) const = default;

  // The settings of each layer.
  AttentionSettings attention() const { return {d_model, heads, attention_dropout}; }
  FeedForwardSettings feed_forward() const { return {d_model, d_ff, activation, activation_dropout}; }
  AddAndNormSettings add_and_norm() const { return {norm, d_model, dropout}; }
  EmbeddingSettings embedding(Id pad) const { return {pad, scale_embeddings, embedding_dropout}; }
};

/// Lists the fields (see numerics/setting.hpp), except for the masks, which have their own section.
void for_each_setting(TransformerSettings& model, const auto& visit) {
  visit("d_model", "width of every token's vector; an even number", model.d_model, 2, kMostWidth);
  visit("heads", "number of attention heads; must divide d_model", model.heads, 1, kMostHeads);
  visit("encoder_layers", "number of encoder layers, at least 1", model.encoder_layers, 1, kMostLayers);
  visit("decoder_layers", "number of decoder layers, at least 1", model.decoder_layers, 1, kMostLayers);
  visit("d_ff", "hidden width of the feed-forward networks", model.d_ff, 1, kMostHidden);
  visit("norm", "post | pre: layer norm after (Vaswani et al. 2017) or before a sublayer", model.norm, kNormNames);
  visit("activation", choices(kActivationNames), model.activation, kActivationNames);
  visit("tied_embeddings", "none | target (target and output share one matrix) | all (source too)",
        model.tied_embeddings, kTyingNames);
  visit("scale_embeddings", "true: multiply by sqrt(d_model) before adding positions", model.scale_embeddings);
  visit("dropout", "rate on sublayer outputs, before the residual sum, 0 <= rate < 1", model.dropout, kRate);
  visit("embedding_dropout", "rate on the sum of embedding and position", model.embedding_dropout, kRate);
  visit("attention_dropout", "rate on the attention weights", model.attention_dropout, kRate);
  visit("activation_dropout", "rate after the feed-forward networks' activation", model.activation_dropout, kRate);
  visit("initial_gain", "scales sublayers' initial weights; below 1, post-norm converges faster", model.initial_gain,
        kPositive);
}

/// The first rule that these settings break together, if any. \pre each of them is in its range
std::optional<BrokenRule> broken_rule(const TransformerSettings& model);

/// What the model needs to know about its vocabularies. The special ids are always passed in, never hard-coded.
struct VocabularyShape {
  Index source_size = 0;
  Index target_size = 0;       ///< equal to source_size if all embeddings are tied
  SpecialIdPair special = {};  ///< a negative pad is not a row of any embedding table
};

}  // namespace glassformer
