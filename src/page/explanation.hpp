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
  std::vector<std::array<double, 3>> on_padding;  ///< [B] see attention_on_padding
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

/// The share of attention that sentence b pays to padding, by AttentionKind: the mean over layers, heads and queries
/// other than padding.
std::array<double, 3> attention_on_padding(const Model<float>& model, const Batch& batch, const Trace& trace, Index b);

}  // namespace glassformer
