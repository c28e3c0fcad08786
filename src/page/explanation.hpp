#pragma once

#include <array>
#include <string>
#include <vector>

#include "explanation/trace.hpp"
#include "layers/masks.hpp"
#include "text/tokenizer.hpp"

/// Every number on the way from a few sentences to the gradient of every parameter.
namespace glassformer {

/// What one elementary mask blocks, and why: the combined mask blocks where at least one of them does.
struct BlockReason {
  std::string name;  ///< "padding": the key is; "future": the key lies in it; "padded_query"; "inverted": 0 taken for 1
  Mask mask;
};

/// The reasons behind each of TransformerMasks, without the elementary masks that are off.
struct BlockReasons {
  std::vector<BlockReason> encoder_padding, decoder_combined, cross_padding;
};

/// "What if": other masks for the same batch and model.
struct MaskVariant {
  std::string name;   ///< "no_look_ahead"
  std::string title;  ///< "Without the look-ahead mask"
  std::string says;   ///< what is different, and what to look at
  BlockReasons reasons;
  TransformerMasks masks = {};            ///< the maximum of the reasons' masks
  std::vector<std::string> changed = {};  ///< which masks differ from the model's own
};

/// The model's own masks, those that are `on`, come first, as "right". Each other variant leaves out a kind of mask, or
/// makes a common mistake (a look-ahead mask one or three places late, padding that also blocks queries, 1 read as
/// "visible"). A model that lacks some masks also gets "all_masks". source [B, S], target_input [B, T].
std::vector<MaskVariant> mask_variants(const MaskSettings& on, PadIds pad, const IdMatrix& source,
                                       const IdMatrix& target_input);

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
