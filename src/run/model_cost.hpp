#pragma once

#include "model/settings.hpp"

/// How much memory and how many operations a model needs, by arithmetic.
namespace glassformer {

/// How many numbers all weights and biases are.
Index parameter_count(const TransformerSettings& settings, const VocabularyShape& vocabulary);

/// The size of a padded batch.
struct BatchShape {
  Index source = 0, target = 0;                  ///< tokens, padding included: B * S and B * T
  Index longest_source = 0, longest_target = 0;  ///< S and T
};

/// About how many numbers the layers keep while they compute such a batch.
/// \param training  backward and dropout included
Index activation_count(const TransformerSettings& settings, const VocabularyShape& vocabulary, const BatchShape& batch,
                       bool training);

/// How many floating-point operations the matrix products of training need for one sentence pair of s source and t
/// target tokens (eos or bos counted, padding not):
///
///   6 (s E + t U)  +  12 D (L_enc s^2 + L_dec (t (t + 1) / 2 + t s))
///
/// The first part is 6 for each weight that a token passes: a multiplication and an addition forward, two of each
/// backward (one for the gradient of the weight, one for that of the input). A source token passes
/// E = L_enc (4 D^2 + 2 D F) + L_dec 2 D^2 weights, for it is also projected to the keys and values of each
/// cross-attention; a target token U = L_dec (6 D^2 + 2 D F) + D V. The second part is the two products of attention,
/// scores and context, 2 D each for every query and key that it may see, forward and twice that backward.
///
/// Nothing else is counted: no padding, no blocked key, no softmax, norm, bias, dropout or optimizer.
double training_flops(const TransformerSettings& settings, const VocabularyShape& vocabulary, Index source_tokens,
                      Index target_tokens);

}  // namespace glassformer
