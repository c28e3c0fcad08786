#pragma once

#include "glassformer/layers/masks.hpp"

namespace glassformer {

/// The weights of sigmoid attention (Ramapuram et al. 2024, "Theory, Analysis, and Best Practices for Sigmoid
/// Self-Attention", arXiv:2409.04431):
///
///   weight_j = sigmoid(score_j + bias)        exactly 0 where key j is blocked        sigmoid(z) = 1 / (1 + exp(-z))
///
/// Each weight depends on its own score alone, so the weights of a row need not add up to 1. All scores share the bias.
/// The paper sets it to -log(S): then S scores near 0 give weights that add up to about 1, as with softmax. N = B*H*T
/// rows, for B sentences with H heads and T queries each. S = keys.
class MaskedSigmoid {
 public:
  double bias;        // a parameter: it can be learned
  double d_bias = 0;  // its gradient: backward adds to it

  explicit MaskedSigmoid(double initial_bias) : bias(initial_bias) {}

  /// Turns scores [N, S] into weights.
  void forward_in_place(Buffer<double>& scores, const Mask& mask) const;
  /// Turns d_weights [N, S] into d_scores. `weights` are those that forward computed.
  void backward_in_place(const Buffer<double>& weights, Buffer<double>& d_weights);
};

}  // namespace glassformer
