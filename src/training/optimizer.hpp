#pragma once

#include <concepts>
#include <span>

#include "numerics/matrix.hpp"
#include "training/settings.hpp"

namespace glassformer {

/// The Euclidean length of the whole gradient. Its bits do not depend on the number of threads.
template <std::floating_point Scalar>
double gradient_norm(std::span<const Scalar> gradient);

/// Adam (Kingma & Ba 2015), for each parameter p with gradient g at update t = 1, 2, 3, ...:
///
///   m = beta1 m + (1 - beta1) g            the mean of recent gradients
///   v = beta2 v + (1 - beta2) g^2          and of their squares
///   p = p - rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
///
/// The divisors undo that m and v start at 0. Weight decay is added to the gradient (adam: L2), or shrinks the
/// parameter beside it (adamw; Loshchilov & Hutter 2019), both as PyTorch does.
template <std::floating_point Scalar>
class Adam {
 public:
  Adam(const OptimizerSettings& settings, Index parameters);

  /// One update in place. The gradient is first scaled so that its norm is at most settings.clip_norm; `norm` is
  /// what gradient_norm says of it.
  void update(std::span<Scalar> parameters, std::span<const Scalar> gradient, double norm, double rate, Index t);

  std::span<Scalar> m() { return {m_.data(), static_cast<std::size_t>(m_.size())}; }
  std::span<Scalar> v() { return {v_.data(), static_cast<std::size_t>(v_.size())}; }

 private:
  OptimizerSettings settings_;
  Buffer<Scalar> m_, v_;  // [1, parameters]
};

}  // namespace glassformer
