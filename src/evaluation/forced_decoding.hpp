#pragma once

#include <vector>

#include "batching/sentence_pairs.hpp"
#include "model/model.hpp"

namespace glassformer {

/// Forced decoding: what the model thinks of translations that it is given, teacher-forced and without dropout. On all
/// threads; a pair's numbers do not depend on the other pairs.

/// The loss of all pairs, without label smoothing.
LossSum teacher_forced_loss(const Model<float>& model, const SentencePairs& pairs);

/// For each pair the natural logarithm of the probability of each target token and, at the end, of eos, given the
/// source and the target tokens before it. Their sum is the log-probability of the pair.
std::vector<std::vector<double>> token_log_probabilities(const Model<float>& model, const SentencePairs& pairs);

}  // namespace glassformer
