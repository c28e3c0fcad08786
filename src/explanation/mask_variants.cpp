#include "explanation/mask_variants.hpp"

#include <algorithm>

namespace glassformer {
namespace {

/// Whether they block the same, be it with a row for each query or with one for all.
bool equal(const Mask& a, const Mask& b) {
  const Mask nothing = all_visible(std::max(a.sentences, b.sentences), std::max(a.queries, b.queries), a.keys());
  return combined_mask(a, nothing).blocked.eigen() == combined_mask(b, nothing).blocked.eigen();
}

std::vector<std::string> differences(const TransformerMasks& a, const TransformerMasks& b) {
  std::vector<std::string> names;
  if (!equal(a.encoder_padding, b.encoder_padding)) names.emplace_back("encoder_padding");
  if (!equal(a.decoder_combined, b.decoder_combined)) names.emplace_back("decoder_combined");
  if (!equal(a.cross_padding, b.cross_padding)) names.emplace_back("cross_padding");
  return names;
}

/// Blocked: keys more than `places` in the future.
Mask late_look_ahead_mask(Index length, Index places) {
  Mask mask = all_visible(1, length, length);
  for (Index query = 0; query < length - places; ++query) {
    mask.blocked.row(query).eigen().tail(length - places - query - 1).setOnes();
  }
  return mask;
}

/// Blocks every key of a query that is padding.
Mask padded_query_mask(const IdMatrix& ids, Id pad) {
  Mask mask = all_visible(ids.rows(), ids.cols(), ids.cols());
  for (Index b = 0; b < ids.rows(); ++b) {
    for (Index query = 0; query < ids.cols(); ++query) {
      mask.blocked.row(mask.row(b, query)).eigen().setConstant(ids(b, query) == pad);
    }
  }
  return mask;
}

Mask inverted(Mask mask) {
  auto blocked = mask.blocked.eigen();
  blocked.array() = 1 - blocked.array();
  return mask;
}

/// `nothing`, but blocked where one of the reasons blocks.
Mask maximum(const std::vector<BlockReason>& reasons, Mask nothing) {
  for (const BlockReason& reason : reasons) nothing = combined_mask(nothing, reason.mask);
  return nothing;
}

/// A batch, and what can be made of its padding.
struct PaddedBatch {
  const VocabularyShape& vocabulary;
  const IdMatrix &source, &target_input;

  BlockReasons reasons(const MaskSettings& on) const {
    const BlockReason source_padding{"padding", padding_mask(source, vocabulary.pad.source)};
    BlockReasons reasons;
    if (on.encoder_padding) reasons.encoder_padding = {source_padding};
    if (on.target_padding) reasons.decoder_combined = {{"padding", padding_mask(target_input, vocabulary.pad.target)}};
    if (on.look_ahead) reasons.decoder_combined.push_back({"future", look_ahead_mask(target_input.cols())});
    if (on.cross_padding) reasons.cross_padding = {source_padding};
    return reasons;
  }

  TransformerMasks masks(const BlockReasons& reasons) const {
    const Index B = source.rows(), S = source.cols(), T = target_input.cols();
    return {.encoder_padding = maximum(reasons.encoder_padding, all_visible(B, 1, S)),
            .decoder_combined = maximum(reasons.decoder_combined, all_visible(B, T, T)),
            .cross_padding = maximum(reasons.cross_padding, all_visible(B, 1, S))};
  }

  /// Whether a query that is a word may look at a key that is padding, in any of the three kinds of attention.
  bool words_see_padding(const TransformerMasks& masks) const {
    const auto see = [](const Mask& mask, const IdMatrix& queries, Id query_pad, const IdMatrix& keys, Id key_pad) {
      for (Index b = 0; b < queries.rows(); ++b) {
        for (Index query = 0; query < queries.cols(); ++query) {
          for (Index key = 0; key < keys.cols(); ++key) {
            const bool of_interest = queries(b, query) != query_pad && keys(b, key) == key_pad;
            if (of_interest && !mask.is_blocked(b, query, key)) return true;
          }
        }
      }
      return false;
    };
    const Id source_pad = vocabulary.pad.source, target_pad = vocabulary.pad.target;
    return see(masks.encoder_padding, source, source_pad, source, source_pad) ||
           see(masks.decoder_combined, target_input, target_pad, target_input, target_pad) ||
           see(masks.cross_padding, target_input, target_pad, source, source_pad);
  }

  /// With a look-ahead mask that is so many places late.
  BlockReasons late(MaskSettings on, Index places) const {
    on.look_ahead = false;
    BlockReasons late = reasons(on);
    late.decoder_combined.push_back({"future", late_look_ahead_mask(target_input.cols(), places)});
    return late;
  }

  BlockReasons padded_queries(BlockReasons reasons) const {
    reasons.encoder_padding.push_back({"padded_query", padded_query_mask(source, vocabulary.pad.source)});
    reasons.decoder_combined.push_back({"padded_query", padded_query_mask(target_input, vocabulary.pad.target)});
    return reasons;
  }
};

BlockReasons upside_down(const TransformerMasks& masks) {
  return {{{"inverted", inverted(masks.encoder_padding)}},
          {{"inverted", inverted(masks.decoder_combined)}},
          {{"inverted", inverted(masks.cross_padding)}}};
}

/// Of a model that lacks some masks: what it means to have them all.
std::string with_all_masks(const MaskSettings& had, bool words_saw_padding) {
  std::string says = "This model was trained without some of its masks. Here it has them all.";
  if (!had.look_ahead) {
    says += " The decoder no longer sees the words it must predict, just as in translation.";
  }
  if (words_saw_padding)
    says += " No word attends to padding any more: each sentence gets the answer it would get alone.";
  return says;
}

/// Of a variant that makes no difference: what the model's own masks leave open in any case.
std::string nothing_changes(const MaskSettings& on, bool words_see_padding) {
  std::string says = "In this batch, this blocks exactly what the model's own masks block, so nothing changes.";
  if (!on.look_ahead) says += " Without a look-ahead mask of its own, the model sees the words it must predict.";
  if (words_see_padding) {
    says +=
        " The model's own masks let words attend to padding: compare the answers in the batch with the answers to "
        "the sentence alone.";
  }
  return says;
}

}  // namespace

std::vector<MaskVariant> mask_variants(const TransformerSettings& settings, const VocabularyShape& vocabulary,
                                       const IdMatrix& source, const IdMatrix& target_input) {
  const PaddedBatch batch{vocabulary, source, target_input};
  const MaskSettings& on = settings.masks;
  const auto without = [&](auto... mask) {  // the model's own masks, but for these
    MaskSettings switches = on;
    ((switches.*mask = false), ...);
    return batch.reasons(switches);
  };
  const BlockReasons own = batch.reasons(on);
  const BlockReasons no_padding_masks =
      without(&MaskSettings::encoder_padding, &MaskSettings::target_padding, &MaskSettings::cross_padding);
  const char* const words_see =
      "Words attend to padding as if it were words. So the answer to a sentence depends on how much padding the rest "
      "of the batch adds to it. Compare the answers in the batch with the answers to the sentence alone.";
  const char* const only_padding_sees =
      "In this batch, only padding attends to padding, and the loss ignores the result.";
  const bool words_saw_padding = batch.words_see_padding(batch.masks(own));
  std::vector<MaskVariant> variants{
      {"right", "As it is", "The masks that this model was trained with, and is used with.", own},
      {"no_look_ahead", "Without the look-ahead mask",
       "The decoder sees the words it must predict. This model never learned to copy them, so its loss may get better "
       "or worse; a model that is trained like this learns nothing else (configs/lessons/no_look_ahead.yaml).",
       without(&MaskSettings::look_ahead)},
      {"no_padding_masks", "Without the padding masks",
       batch.words_see_padding(batch.masks(no_padding_masks)) ? words_see : only_padding_sees, no_padding_masks},
      {"no_cross_mask", "Without the cross-attention mask",
       "The decoder attends to the encoder's output at padded positions. Compare the answers in the batch with the "
       "answers to the sentence alone.",
       without(&MaskSettings::cross_padding)},
      {"next_word_visible", "Look-ahead mask one place late",
       "An easy off-by-one error: the next position stays visible, and it holds the very word the query must predict.",
       batch.late(on, 1)},
      {"future_of_three", "Look-ahead mask three places late",
       "A look-ahead mask built from a vector of four ones instead of one, a common mistake: each query also sees the "
       "next three positions.",
       batch.late(on, 3)},
      {"padded_queries", "Padded queries blocked too",
       "A padding mask built as an outer product also blocks every key of a padded query. Here the weights of such a "
       "row are all 0, which changes nothing as long as no word attends to it: the loss ignores it. A softmax that "
       "only adds -infinity would turn the row into NaN.",
       batch.padded_queries(own)},
      {"inverted", "1 read as visible",
       "In some libraries 1 means blocked, in others it means visible. If you mix them up, each query sees exactly the "
       "keys that its mask should block.",
       upside_down(batch.masks(own))}};
  if (on != MaskSettings{}) {
    variants.push_back({"all_masks", "With all masks", with_all_masks(on, words_saw_padding), batch.reasons({})});
  }
  for (MaskVariant& variant : variants) {
    variant.masks = batch.masks(variant.reasons);
    variant.changed = differences(variant.masks, variants.front().masks);
    if (variant.changed.empty() && &variant != &variants.front()) {
      variant.says = nothing_changes(on, words_saw_padding);
    }
  }
  return variants;
}

}  // namespace glassformer
