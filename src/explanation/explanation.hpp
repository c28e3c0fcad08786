#pragma once

#include <string>
#include <vector>

#include "batching/batch.hpp"
#include "explanation/mask_variants.hpp"
#include "layers/recording.hpp"
#include "model/model.hpp"
#include "text/tokenizer.hpp"

/// Every number on the way from a few sentences to the gradient of every parameter. The page shows the numbers of
/// training itself: the same layers in the same precision, with a recorder.
namespace glassformer {

/// A sentence pair to be explained.
struct ExplainedPair {
  std::string source, target;
  bool own_translation = false;  ///< the target is the model's
};

/// A summary of a pass forward and backward under given masks.
struct PassFigures {
  LossSum loss;
  Matrix<float> losses;                  ///< [B, T], 0 where padding is expected
  IdMatrix answers;                      ///< [B, T], the likeliest tokens
  Matrix<float> losses_alone;            ///< the same of each sentence in a batch of its own, where nothing is padded
  IdMatrix answers_alone;
  Matrix<double> on_padding;             ///< [B, 3], see attention_on_padding
  std::vector<Matrix<float>> attention;  ///< [B*H*queries, keys] each: encoder, then decoder self and cross, by layer
  std::vector<double> gradient_norms;    ///< of every parameter tensor, in the checkpoint's order
};

/// A token that might come next.
struct LikelyToken {
  Id id = 0;
  double probability = 0;
};

/// What the model predicts at one position of the target.
struct Answer {
  Id expected = 0;
  bool counted = true;     ///< false: padding is expected, which no loss counts
  double probability = 0;  ///< of the expected token
  double loss = 0, cross_entropy = 0;  ///< with and without label smoothing
  std::vector<LikelyToken> likeliest;  ///< ten, or the whole vocabulary if that is smaller
};

/// Everything that is shown about some pairs: one recorded pass, and summaries of passes under other masks.
struct Explanation {
  std::vector<ExplainedPair> pairs;
  Batch batch;
  TransformerMasks masks;               ///< the model's own
  std::vector<MaskVariant> variants;    ///< the first are the model's own masks
  std::vector<PassFigures> figures;     ///< of each variant
  Recording recording;                  ///< of the first
  std::vector<std::vector<Answer>> answers;  ///< [B][T], of the first
  std::vector<double> parameter_norms;  ///< beside PassFigures::gradient_norms
};

/// What is the same for all pairs.
struct ExplainedModel {
  const Model<float>& model;
  const TokenizerPair& tokenizers;
  double label_smoothing = 0;
  bool dropout = false;    ///< draw it as training does, by `seed`, update 1 and the number of the pair
  std::uint64_t seed = 1;
};

/// The pairs become one padded batch, in their order. The gradient is that of the mean loss of its tokens.
Explanation explain(const ExplainedModel& explained, std::vector<ExplainedPair> pairs);

}  // namespace glassformer
