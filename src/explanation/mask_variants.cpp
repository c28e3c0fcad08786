#include "explanation/mask_variants.hpp"

#include <algorithm>

namespace glassformer {
namespace {

/// Whether they block the same, be it with a row for each query or with one for all.
bool equal(const Mask& a, const Mask& b) {
  for (Index sentence = 0; sentence < std::max(a.sentences, b.sentences); ++sentence) {
    for (Index query = 0; query < std::max(a.queries, b.queries); ++query) {
      if (a.blocked.row(a.row(sentence, query)) != b.blocked.row(b.row(sentence, query))) return false;
    }
  }
  return true;
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
  Mask mask = look_ahead_mask(length);
  for (Index query = 0; query < length; ++query) {
    for (Index key = 0; key < std::min(query + 1 + places, length); ++key) mask.blocked(query, key) = 0;
  }
  return mask;
}

/// Blocks every key of a query that is padding.
Mask padded_query_mask(const IdMatrix& ids, Id pad) {
  Mask mask = all_visible(ids.rows(), ids.cols(), ids.cols());
  for (Index b = 0; b < ids.rows(); ++b) {
    for (Index query = 0; query < ids.cols(); ++query) {
      if (ids(b, query) == pad) mask.blocked.row(mask.row(b, query)).setOnes();
    }
  }
  return mask;
}

Mask inverted(Mask mask) {
  mask.blocked = mask.blocked.unaryExpr([](std::uint8_t blocked) { return static_cast<std::uint8_t>(1 - blocked); });
  return mask;
}

}  // namespace

std::vector<MaskVariant> mask_variants(const TransformerSettings& settings, const VocabularyShape& vocabulary,
                                       const IdMatrix& source, const IdMatrix& target_input) {
  const auto masks_with = [&](const MaskSettings& switches) {
    return make_masks(source, vocabulary.source_pad, target_input, vocabulary.target_pad, switches);
  };
  const auto without = [&](auto... mask) {  // the model's own masks, but for these
    MaskSettings switches = settings.masks;
    ((switches.*mask = false), ...);
    return masks_with(switches);
  };
  const TransformerMasks own = masks_with(settings.masks);
  const Mask target_padding =
      switched(padding_mask(target_input, vocabulary.target_pad), settings.masks.target_padding);
  const Index T = target_input.cols();

  TransformerMasks next_word = own, prefix = own, padded_queries = own;
  next_word.decoder_combined = combined_mask(target_padding, late_look_ahead_mask(T, 1));
  prefix.decoder_combined = combined_mask(target_padding, late_look_ahead_mask(T, 3));
  padded_queries.encoder_padding =
      combined_mask(own.encoder_padding, padded_query_mask(source, vocabulary.source_pad));
  padded_queries.decoder_combined =
      combined_mask(own.decoder_combined, padded_query_mask(target_input, vocabulary.target_pad));
  const TransformerMasks upside_down{inverted(own.encoder_padding), inverted(own.decoder_combined),
                                     inverted(own.cross_padding)};

  const char* const never_learned =
      "The decoder sees the words that it is asked for. This model never learned to copy them, so its loss changes in "
      "one way or another; a model that is trained like this learns nothing else (configs/lessons/no_look_ahead.yaml).";
  const char* const learned =
      "The decoder sees the words that it is asked for, as it did when this model was trained: to copy them is what it "
      "has learned. \"With all masks\" shows what is left of it when there is nothing to copy.";
  std::vector<MaskVariant> variants{
      {"right", "As it is", "The masks that this model was trained with, and is used with.", {}, own},
      {"no_look_ahead", "Without the look-ahead mask", settings.masks.look_ahead ? never_learned : learned, {},
       without(&MaskSettings::look_ahead)},
      {"no_padding_masks", "Without the padding masks",
       "Attention is spent on padding, in the encoder and in the decoder. What a sentence gets now depends on how long "
       "the others of its batch are. The longest sentence has no padding: compare it with the shorter ones.",
       {}, without(&MaskSettings::encoder_padding, &MaskSettings::target_padding, &MaskSettings::cross_padding)},
      {"no_cross_mask", "Without the cross-attention mask",
       "The decoder looks at what the encoder left at the places of padding. Watch the columns of padding in the "
       "cross-attention.", {}, without(&MaskSettings::cross_padding)},
      {"next_word_visible", "Look-ahead mask one place late",
       "An off-by-one that is easily made: every query sees one word of the future, and that word is the one that it "
       "is asked for.", {}, next_word},
      {"future_of_three", "A block of future left open",
       "One meets a look-ahead mask that is drawn from a vector of four ones: the first query sees four words, the "
       "next five. Only a vector with a single one gives the causal mask.", {}, prefix},
      {"padded_queries", "Padding blocks queries as well",
       "A padding mask made as an outer product: the rows of padded queries see nothing. Here such a row gets the "
       "weights 0, and where nobody looks at it and no loss counts it, nothing changes; with a softmax that adds "
       "-infinity it would be NaN.", {},
       padded_queries},
      {"inverted", "1 taken for visible",
       "Half of the world writes 1 for blocked, the other half 1 for visible. With the two mixed up, only padding and "
       "the future are seen.", {}, upside_down}};
  if (settings.masks != MaskSettings{}) {
    variants.push_back({"all_masks", "With all masks", "This model was trained without some of its masks. Here it has "
                        "them all, as when it translates and there is no future to look at.", {}, masks_with({})});
  }
  for (MaskVariant& variant : variants) variant.changed = differences(variant.masks, own);
  return variants;
}

}  // namespace glassformer
