#include "glassformer/page/mask_variants.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "glassformer/schema/model.hpp"

namespace glassformer {
namespace {

/// Whether both block the same cells. Either may have one row for each query or one row for all of them.
bool equal(const Mask& a, const Mask& b) {
  const Mask nothing = all_visible(std::max(a.sentences, b.sentences), std::max(a.queries, b.queries), a.keys());
  return combined_mask(a, nothing).blocked.eigen() == combined_mask(b, nothing).blocked.eigen();
}

std::vector<std::string> differences(const TransformerMasks& a, const TransformerMasks& b) {
  std::vector<std::string> names;
  if (!equal(a.encoder_padding, b.encoder_padding)) {
    names.emplace_back("encoder_padding");
  }
  if (!equal(a.decoder_combined, b.decoder_combined)) {
    names.emplace_back("decoder_combined");
  }
  if (!equal(a.cross_padding, b.cross_padding)) {
    names.emplace_back("cross_padding");
  }
  return names;
}

/// Blocks keys that are more than `places` positions ahead of the query.
Mask late_look_ahead_mask(Index length, Index places) {
  Mask mask = all_visible(1, length, length);
  for (Index query = 0; query < length - places; ++query) {
    mask.blocked.row(query).eigen().tail(length - places - query - 1).setOnes();
  }
  return mask;
}

/// Blocks every key if the query is padding.
Mask padded_query_mask(const IdMatrix& ids, Id pad, Index keys) {
  Mask mask = all_visible(ids.rows(), ids.cols(), keys);
  for (Index n = 0; n < ids.size(); ++n) {
    mask.blocked.row(n).eigen().setConstant(ids(n / ids.cols(), n % ids.cols()) == pad);
  }
  return mask;
}

std::vector<BlockReason> inverted(Mask mask) {
  auto blocked = mask.blocked.eigen();
  blocked.array() = 1 - blocked.array();
  return {{"inverted", std::move(mask)}};
}

/// Blocks wherever one of the reasons does. `nothing` blocks nothing and has the result's shape.
Mask maximum(const std::vector<BlockReason>& reasons, Mask nothing) {
  for (const BlockReason& reason : reasons) {
    nothing = combined_mask(nothing, reason.mask);
  }
  return nothing;
}

/// The ids of a batch, and the masks computed from them.
struct PaddedBatch {
  SpecialIdPair special;
  const IdMatrix& source;
  const IdMatrix& target_input;

  BlockReasons reasons(const MaskSettings& on) const {
    const BlockReason source_padding{"padding", padding_mask(source, special.source.pad)};
    BlockReasons reasons;
    if (on.encoder_padding) {
      reasons.encoder_padding = {source_padding};
    }
    if (on.target_padding) {
      reasons.decoder_combined = {{"padding", padding_mask(target_input, special.target.pad)}};
    }
    if (on.look_ahead) {
      reasons.decoder_combined.push_back({"future", look_ahead_mask(target_input.cols())});
    }
    if (on.cross_padding) {
      reasons.cross_padding = {source_padding};
    }
    return reasons;
  }

  TransformerMasks masks(const BlockReasons& reasons) const {
    const Index B = source.rows();
    const Index S = source.cols();
    const Index T = target_input.cols();
    return {.encoder_padding = maximum(reasons.encoder_padding, all_visible(B, 1, S)),
            .decoder_combined = maximum(reasons.decoder_combined, all_visible(B, T, T)),
            .cross_padding = maximum(reasons.cross_padding, all_visible(B, 1, S))};
  }

  /// The reasons with a look-ahead mask that is `places` positions late.
  BlockReasons late(MaskSettings on, Index places) const {
    on.look_ahead = false;
    BlockReasons late = reasons(on);
    late.decoder_combined.push_back({"future", late_look_ahead_mask(target_input.cols(), places)});
    return late;
  }

  /// Adds a reason to both kinds of self-attention: the query is padding.
  BlockReasons padded_queries(BlockReasons reasons) const {
    const Index S = source.cols();
    const Index T = target_input.cols();
    reasons.encoder_padding.push_back({"padded_query", padded_query_mask(source, special.source.pad, S)});
    reasons.decoder_combined.push_back({"padded_query", padded_query_mask(target_input, special.target.pad, T)});
    return reasons;
  }

  /// Whether any word may attend to padding, in any of the three kinds of attention.
  bool words_see_padding(const BlockReasons& reasons) const {
    const auto see = [](const Mask& mask, const Mask& padded_queries, const Mask& padding) {
      const Mask of_words = combined_mask(mask, padded_queries);
      return !equal(of_words, combined_mask(of_words, padding));
    };
    const TransformerMasks own = masks(reasons);
    const Index S = source.cols();
    const Index T = target_input.cols();
    const Mask no_source = padding_mask(source, special.source.pad);
    const Mask no_target = padding_mask(target_input, special.target.pad);
    return see(own.encoder_padding, padded_query_mask(source, special.source.pad, S), no_source) ||
           see(own.decoder_combined, padded_query_mask(target_input, special.target.pad, T), no_target) ||
           see(own.cross_padding, padded_query_mask(target_input, special.target.pad, S), no_source);
  }
};

std::string with_all_masks(const MaskSettings& had, bool words_saw_padding) {
  return std::string("This model was trained without some of the masks. Here, all of them are on.") +
         (had.look_ahead ? "" : " The decoder no longer sees the words it must predict, just as in translation.") +
         (words_saw_padding ? " No word attends to padding any more: each sentence is predicted as if it were alone."
                            : "");
}

/// Describes a variant that changes nothing, and what the model's own masks fail to block.
std::string nothing_changes(const MaskSettings& on, bool words_see_padding) {
  return std::string("In this batch, these masks block exactly what the model's own masks block, so nothing changes.") +
         (on.look_ahead ? "" : " The model still sees the words it must predict: its own look-ahead mask is off.") +
         (words_see_padding ? " The model's own masks let words attend to padding: compare the predictions in the "
                              "batch with those for the sentence alone."
                            : "");
}

/// The model's own masks, and those with some left out.
std::vector<MaskVariant> with_fewer_masks(const MaskSettings& on, const PaddedBatch& batch) {
  MaskSettings no_look_ahead = on;
  MaskSettings no_padding = on;
  MaskSettings no_cross = on;
  no_look_ahead.look_ahead = no_cross.cross_padding = false;
  no_padding.encoder_padding = no_padding.target_padding = no_padding.cross_padding = false;
  const char* const without_padding_masks =
      batch.words_see_padding(batch.reasons(no_padding))
          ? "Words attend to padding as if it were words, so the predictions for a sentence depend on how much padding "
            "the rest of the batch adds. Compare the predictions in the batch with those for the sentence alone."
          : "In this batch, only padding attends to padding, and the loss ignores padding.";
  return {
      {"right", "Unchanged", "The masks that this model was trained with and still uses.", batch.reasons(on)},
      {"no_look_ahead", "Without the look-ahead mask",
       "The decoder sees the words it must predict. This model never learned to copy them, so its loss may get better "
       "or worse. A model trained this way learns only to copy them (configs/lessons/no_look_ahead.yaml).",
       batch.reasons(no_look_ahead)},
      {"no_padding_masks", "Without the padding masks", without_padding_masks, batch.reasons(no_padding)},
      {"no_cross_mask", "Without the cross-attention mask",
       "The decoder attends to the encoder's output at padded positions. Compare the predictions in the batch with "
       "those for the sentence alone.",
       batch.reasons(no_cross)}};
}

/// Masks with common mistakes.
std::vector<MaskVariant> with_wrong_masks(const MaskSettings& on, const PaddedBatch& batch) {
  const BlockReasons own = batch.reasons(on);
  const TransformerMasks own_masks = batch.masks(own);
  return {
      {"next_word_visible", "Look-ahead mask one position late",
       "An easy off-by-one error: the next position stays visible, and it holds the very word that must be predicted.",
       batch.late(on, 1)},
      {"future_of_three", "Look-ahead mask three positions late",
       "The mask blocks what is above the third diagonal instead of what is above the main one. Each query then also "
       "sees the next three positions.",
       batch.late(on, 3)},
      {"padded_queries", "Padded queries blocked too",
       "A padding mask built as an outer product also blocks every key of a padded query. In this program, all weights "
       "of that query are then 0. This changes nothing as long as no word attends to the padded position, because the "
       "loss ignores it. Adding -infinity to the scores before an ordinary softmax would turn the weights into NaN.",
       batch.padded_queries(own)},
      {"inverted",
       "1 read as visible",
       "In some libraries 1 means blocked, in others it means visible. If you mix them up, each query sees exactly the "
       "keys that its mask should block.",
       {inverted(own_masks.encoder_padding), inverted(own_masks.decoder_combined), inverted(own_masks.cross_padding)}}};
}

}  // namespace

std::vector<MaskVariant> mask_variants(const MaskSettings& on, const SpecialIdPair& special, const IdMatrix& source,
                                       const IdMatrix& target_input) {
  const PaddedBatch batch{special, source, target_input};
  std::vector<MaskVariant> variants = with_fewer_masks(on, batch);
  std::ranges::move(with_wrong_masks(on, batch), std::back_inserter(variants));
  const bool words_see_padding = batch.words_see_padding(variants.front().reasons);
  if (on != MaskSettings{}) {
    variants.push_back({"all_masks", "With all masks", with_all_masks(on, words_see_padding), batch.reasons({})});
  }
  for (MaskVariant& variant : variants) {
    variant.masks = batch.masks(variant.reasons);
    variant.changed = differences(variant.masks, variants.front().masks);
    if (variant.changed.empty() && variant.name != "right") {
      variant.says = nothing_changes(on, words_see_padding);
    }
  }
  return variants;
}

std::vector<std::string> masks_off(MaskSettings on) {
  std::vector<std::string> names;
  for_each_setting(on, [&](const char* name, const std::string&, bool is_on) {
    if (!is_on) {
      names.emplace_back(name);
    }
  });
  return names;
}

}  // namespace glassformer
