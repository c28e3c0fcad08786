#pragma once

#include "explanation/explanation.hpp"

namespace glassformer {

/// The likeliest token of every row of p [B*T, V], the probabilities that the loss's forward leaves in place of the
/// logits; of equally likely ones the lowest id. LossSum::correct compares logits: where two of them differ so little
/// that their p is equal, it may count the other one. [B, T]
IdMatrix likeliest_tokens(ConstMatrixRef<float> p, Index sentences);

/// How much of its attention each sentence pays to padding: the mean over layers, heads and queries that are not
/// padding. [B, 3], the columns are encoder self-attention, decoder self-attention and cross-attention.
Matrix<double> attention_on_padding(const Transformer<float>& model, const Batch& batch,
                                    const std::vector<Matrix<float>>& attention);

/// Runs every sentence once more under the masks of every variant, in a batch of its own, where nothing is padded:
/// fills in PassFigures::losses_alone and answers_alone.
void answer_alone(const ExplainedModel& explained, Explanation& explanation);

}  // namespace glassformer
