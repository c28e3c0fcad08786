#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "numerics/arena.hpp"
#include "text/corpus.hpp"
#include "training/sharded_gradient.hpp"

namespace glassformer {

/// Finds where a loss or gradient stopped being a finite number: infinities and NaN spread, and what they end in says
/// nothing of where they began. The sentences of the update are computed once more, one by one, this time with a
/// recorder, and the first recorded matrix with such a number is named: its part of the model, its equation, and the
/// line of the training text.
///
/// Slow (every matrix is copied), and therefore only for an update that has gone wrong.
std::string first_non_finite(const Model<float>& model, const TrainingSettings& settings, const Corpus& corpus,
                             std::span<const std::vector<Index>> batches, const ShardedGradient::Step& step);

}  // namespace glassformer
