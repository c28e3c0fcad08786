#pragma once

#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// The loss summed over some tokens, in nats. Divide only once, by the number of tokens in the whole batch.
struct LossSum {
  double loss = 0;           ///< the objective: cross-entropy with label smoothing
  double cross_entropy = 0;  ///< without label smoothing; exp of its mean is the perplexity
  Index tokens = 0;          ///< expected tokens, without padding
  Index correct = 0;         ///< expected tokens that the model ranks first

  double mean() const { return loss / static_cast<double>(tokens); }
  LossSum& operator+=(const LossSum& other) {
    loss += other.loss;
    cross_entropy += other.cross_entropy;
    tokens += other.tokens;
    correct += other.correct;
    return *this;
  }
};

}  // namespace glassformer
