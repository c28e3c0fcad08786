#pragma once

#include <array>
#include <string>
#include <vector>

#include "glassformer/page/mask_variants.hpp"
#include "glassformer/recording/recording.hpp"
#include "glassformer/recording/trace.hpp"
#include "glassformer/session/session_text.hpp"
#include "glassformer/words/vocabulary.hpp"

/// Everything that `explain` computes for a few sentences, down to the gradient of every parameter.
namespace glassformer {

struct ExplainedPair {
  std::string source, target;
  bool own_translation = false;  ///< the target is the model's own translation
};

struct ExplainedModel : TracedModel {
  VocabularyPair tokenizers{};
};

/// What the model computes under the masks of a variant.
struct ExplainedVariant : MaskVariant {
  Trace trace;
  Answers alone;  ///< for each sentence in a batch of its own, without padding; resized to [B][T]
  /// [B], by AttentionKind: how much attention words pay to padding, averaged over layers, heads and words.
  std::vector<std::array<double, 3>> on_padding;
};

struct Explanation {
  std::vector<ExplainedPair> pairs;
  Batch batch;
  std::vector<ExplainedVariant> variants;  ///< the first has the model's own masks
  Recording recording;                     ///< of the first variant

  const ExplainedVariant& right() const { return variants.front(); }
};

/// Runs the pairs as one padded batch, in the order given, under the model's own masks and all mask_variants. The
/// gradient is that of the batch's mean loss per token.
Explanation explain(const ExplainedModel& explained, std::vector<ExplainedPair> pairs);

/// The same under the model's own masks alone, or under other masks that the caller has made for this batch.
Explanation explain_masks(const ExplainedModel& explained, std::vector<ExplainedPair> pairs,
                          const TransformerMasks* other_masks = nullptr);

/// The pairs as ids: what explain() makes its batch from.
SessionText ids_of(const VocabularyPair& vocabularies, const std::vector<ExplainedPair>& pairs);

}  // namespace glassformer
