#include "masked_sigmoid.hpp"

#include <cassert>
#include <cmath>

namespace glassformer {

void MaskedSigmoid::forward_in_place(Buffer<double>& scores, const Mask& mask) const {
  assert(scores.cols() == mask.keys());
  Buffer<double>& weights = scores;  // the same memory: each row of scores becomes a row of weights
  for (Index n = 0; n < scores.rows(); ++n) {
    const auto row = scores.row(n);
    const auto blocked = mask.blocked.row(mask.row_for(n, scores.rows()));
    for (Index j = 0; j < row.size(); ++j) {
      // If z is very negative, exp(-z) is infinite, and the result is 0, as it should be. exp(z) / (1 + exp(z)), which
      // is the same on paper, would be infinity / infinity for large z.
      weights(n, j) = blocked[j] != 0 ? 0 : 1 / (1 + std::exp(-(row[j] + bias)));
    }
  }
}

void MaskedSigmoid::backward_in_place(const Buffer<double>& weights, Buffer<double>& d_weights) {
  // weight = 1 / (1 + e) with e = exp(-z) and z = score + bias.  By the chain rule, with de/dz = -e:
  //
  //   dweight/dz = -1 / (1 + e)^2 * (-e) = 1 / (1 + e) * e / (1 + e) = weight (1 - weight)
  //
  // dz/dscore = 1, and no other weight depends on this score, so this is also dweight/dscore. A blocked key has weight
  // 0 whatever its score is; the formula agrees. dz/dbias = 1 for every visible key of every row, so the bias collects
  // the sum of all d_scores.
  Buffer<double>& d_scores = d_weights;
  for (Index n = 0; n < weights.rows(); ++n) {
    const auto w = weights.row(n);
    const auto d = d_weights.row(n);
    for (Index j = 0; j < w.size(); ++j) {
      d_scores(n, j) = w[j] == 0 ? 0 : d[j] * w[j] * (1 - w[j]);  // d_j of a blocked key may be NaN, and 0 * NaN is NaN
      d_bias += d_scores(n, j);
    }
  }
}

}  // namespace glassformer
