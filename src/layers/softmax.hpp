#pragma once

#include <concepts>
#include <string>
#include <utility>

#include "glassformer/layers/masks.hpp"
#include "glassformer/layers/pass.hpp"

namespace glassformer {

/// Softmax over the visible keys of each row:
///
///   weight_j = exp(score_j) / sum over visible k of exp(score_k)      exactly 0 where key j is blocked
///
/// The largest visible score is subtracted first. That does not change the weights but keeps exp finite. If no key is
/// visible, all weights are 0, not NaN. (The common alternative, adding -1e9 to blocked scores, makes the row attend to
/// every key.) N = B*H*T rows, for B sentences with H heads and T queries each. S = keys.
template <std::floating_point Scalar>
class MaskedSoftmax {
 public:
  explicit MaskedSoftmax(std::string name) : name_(std::move(name)) {}

  /// Turns scores [N, S] into weights.
  void forward_in_place(const Pass& pass, Buffer<Scalar>& scores, const Mask& mask);
  /// Turns d_weights [N, S] into d_scores. `weights` are those that forward computed.
  void backward_in_place(const Pass& pass, const Buffer<Scalar>& weights, Buffer<Scalar>& d_weights);

 private:
  std::string name_;
};

}  // namespace glassformer
