#pragma once

#include <array>
#include <string>
#include <vector>

#include "glassformer/explanation/trace.hpp"
#include "glassformer/page/mask_variants.hpp"
#include "glassformer/recording/recording.hpp"
#include "glassformer/text/tokenizer.hpp"

/// Everything that `explain` computes for a few sentences, down to the gradient of every parameter.
namespace glassformer {

struct ExplainedPair {
  std::string source, target;
  bool own_translation = false;  ///< the target is the model's own translation
};

struct ExplainedModel : TracedModel {
  const TokenizerPair& tokenizers;
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

/// Runs the pairs as one padded batch, in the order given. The gradient is that of the batch's mean loss per token.
Explanation explain(const ExplainedModel& explained, std::vector<ExplainedPair> pairs);

}  // namespace glassformer
