#pragma once

#include "explanation/explanation.hpp"

namespace glassformer {

/// The likeliest token of every row of p [B*T, V], the probabilities that the loss's forward leaves in place of the
/// logits; of equally likely ones the lowest id. [B, T] (LossSum::correct compares logits. If two differ so little that
/// their p is equal, it may count the other one.)
IdMatrix likeliest_tokens(MatrixView<const float> p, Index sentences);

/// The share of attention that each sentence pays to padding: the mean over layers, heads and queries other than
/// padding. [B, 3], the columns are encoder self-attention, decoder self-attention and cross-attention.
Matrix<double> attention_on_padding(const Model<float>& model, const Batch& batch,
                                    const std::vector<Matrix<float>>& attention);

/// Fills in PassFigures::losses_alone and answers_alone: runs each sentence in a batch of its own, without padding,
/// under the masks of each variant.
void answer_alone(const ExplainedModel& explained, Explanation& explanation);

}  // namespace glassformer
