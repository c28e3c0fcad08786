#pragma once

#include "model/settings.hpp"

namespace glassformer {

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
