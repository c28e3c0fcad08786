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

/// Blocks the rows of padded queries as well: the outer product of what is no padding, turned round.
Mask with_padded_queries(const IdMatrix& ids, Id pad) {
  const Index length = ids.cols();
  Mask mask{ids.rows(), length, Matrix<std::uint8_t>(ids.size(), length)};
  for (Index b = 0; b < ids.rows(); ++b) {
    for (Index query = 0; query < length; ++query) {
      for (Index key = 0; key < length; ++key) {
        mask.blocked(mask.row(b, query), key) = ids(b, query) == pad || ids(b, key) == pad;
      }
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
  const TransformerMasks own = masks_with(settings.masks), all = masks_with({});
  const Mask target_padding = padding_mask(target_input, vocabulary.target_pad);
  const Index T = target_input.cols();

  TransformerMasks next_word = all, prefix = all, padded_queries = all;
  next_word.decoder_combined = combined_mask(target_padding, late_look_ahead_mask(T, 1));
  prefix.decoder_combined = combined_mask(target_padding, late_look_ahead_mask(T, 3));
  padded_queries.encoder_padding = with_padded_queries(source, vocabulary.source_pad);
  padded_queries.decoder_combined =
      combined_mask(with_padded_queries(target_input, vocabulary.target_pad), look_ahead_mask(T));
  const TransformerMasks upside_down{inverted(all.encoder_padding), inverted(all.decoder_combined),
                                     inverted(all.cross_padding)};

  const char* const never_learned =
      "The decoder sees the words that it is asked for. This model never learned to copy them, so its loss changes in "
      "one way or another; a model that is trained like this learns nothing else (configs/lessons/no_look_ahead.yaml).";
  const char* const learned =
      "The decoder sees the words that it is asked for, as it did when this model was trained: to copy them is what it "
      "has learned. \"With all masks\" shows what is left of it when there is nothing to copy.";
  std::vector<MaskVariant> variants{
      {"right", "As it is", "The masks that this model was trained with, and is used with.", {}, own},
      {"no_look_ahead", "Without the look-ahead mask", settings.masks.look_ahead ? never_learned : learned, {},
       masks_with({.look_ahead = false})},
      {"no_padding_masks", "Without the padding masks",
       "Attention is spent on padding, in the encoder and in the decoder. What a sentence gets now depends on how long "
       "the others of its batch are. The longest sentence has no padding: compare it with the shorter ones.",
       {}, masks_with({.encoder_padding = false, .target_padding = false, .cross_padding = false})},
      {"no_cross_mask", "Without the cross-attention mask",
       "The encoder is right, but the decoder looks at what it left at the places of padding. Watch the columns of "
       "padding in the cross-attention.", {}, masks_with({.cross_padding = false})},
      {"next_word_visible", "Look-ahead mask one place late",
       "An off-by-one that is easily made: every query sees one word of the future, and that word is the one that it "
       "is asked for.", {}, next_word},
      {"future_of_three", "A block of future left open",
       "One meets a look-ahead mask that is drawn from a vector of four ones: the first query sees four words, the "
       "next five. Only a vector with a single one gives the causal mask.", {}, prefix},
      {"padded_queries", "Padding blocks queries as well",
       "Padding times padding, as an outer product: the rows of padded queries see nothing. Here such a row gets the "
       "weights 0, and as no loss counts it, none changes; with a softmax that adds -infinity it would be NaN.", {},
       padded_queries},
      {"inverted", "1 taken for visible",
       "Half of the world writes 1 for blocked, the other half 1 for visible. With the two mixed up, only padding and "
       "the future are seen.", {}, upside_down}};
  if (settings.masks != MaskSettings{}) {
    variants.push_back({"all_masks", "With all masks", "This model was trained without some of its masks. Here it has "
                        "them all, as when it translates and there is no future to look at.", {}, all});
  }
  for (MaskVariant& variant : variants) variant.changed = differences(variant.masks, own);
  return variants;
}

}  // namespace glassformer
