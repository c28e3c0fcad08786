#pragma once

#include <optional>

#include "glassformer/model/settings.hpp"
#include "glassformer/numerics/random.hpp"
#include "glassformer/schema/setting.hpp"

namespace glassformer {

// Within these limits, no product of sizes overflows.
inline constexpr Index kMostWidth = 100'000;      ///< d_model
inline constexpr Index kMostHidden = 1'000'000;   ///< d_ff
inline constexpr Index kMostLayers = 1000;        ///< encoder_layers and decoder_layers
inline constexpr Index kMostHeads = kMostGroups;  ///< with more, dropout would give two heads the same random numbers

/// Lists the fields (see schema/setting.hpp), except for the masks, which have their own section.
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
  visit("scale_scores", "true: divide attention's scores by sqrt(d_head); for lessons: false shows what it is for",
        model.scale_scores);
  visit("positions", "true: add positions to embeddings; for lessons: false shows what it is for", model.positions);
  visit("residual", "true: add each sublayer's input to its output; for lessons: false shows what it is for",
        model.residual);
  visit("initial_gain", "scales sublayers' initial weights; below 1, post-norm converges faster", model.initial_gain,
        kPositive);
}

/// The first rule that these settings break together, if any. \pre each of them is in its range
std::optional<BrokenRule> broken_rule(const TransformerSettings& model);

/// Lists the fields: see schema/setting.hpp.
void for_each_setting(MaskSettings& masks, const auto& visit) {
  visit("encoder_padding", "true: encoder self-attention ignores padding; false: see configs/lessons",
        masks.encoder_padding);
  visit("look_ahead", "true: decoder self-attention cannot see the tokens it has to predict", masks.look_ahead);
  visit("target_padding", "true: decoder self-attention ignores padding", masks.target_padding);
  visit("cross_padding", "true: cross-attention ignores padding in the source", masks.cross_padding);
}

}  // namespace glassformer
