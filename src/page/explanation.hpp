#pragma once

#include <array>
#include <string>
#include <vector>

#include "explanation/trace.hpp"
#include "page/mask_variants.hpp"
#include "text/tokenizer.hpp"

/// Every number on the way from a few sentences to the gradient of every parameter.
namespace glassformer {

/// A sentence pair to be explained.
struct ExplainedPair {
  std::string source, target;
  bool own_translation = false;  ///< the target is the model's
};

struct ExplainedModel : TracedModel {
  const TokenizerPair& tokenizers;
};

/// What the model does under other masks.
struct ExplainedVariant : MaskVariant {
  Trace trace;
  Answers alone;  ///< to each sentence in a batch of its own, where nothing is padded; then padded to [B][T]
  /// [B], by AttentionKind: the share of attention that words pay to padding, the mean over layers, heads and words.
  std::vector<std::array<double, 3>> on_padding;
};

/// Everything that is shown about some pairs.
struct Explanation {
  std::vector<ExplainedPair> pairs;
  Batch batch;
  std::vector<ExplainedVariant> variants;  ///< the first has the model's own masks
  Recording recording;                     ///< of the first

  const ExplainedVariant& right() const { return variants.front(); }
};

/// The pairs become one padded batch, in their order. The gradient is that of the mean loss of its tokens.
Explanation explain(const ExplainedModel& explained, std::vector<ExplainedPair> pairs);

}  // namespace glassformer
