#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "glassformer/numerics/arena.hpp"
#include "glassformer/numerics/matrix.hpp"
#include "glassformer/training/muon.hpp"
#include "glassformer/training/settings.hpp"

namespace glassformer {

/// The square root of the sum of squares, in double precision; the same, bit for bit, for any number of threads.
template <std::floating_point Scalar>
double euclidean_norm(std::span<const Scalar> gradient);

/// Updates the parameters in place with the optimizer that settings.kind selects.
///
/// Adam (Kingma & Ba 2015), as in PyTorch, for each parameter p with gradient g (clipped) at update t = 1, 2, 3, ...:
///
///   adam:  g = g + weight_decay p             decay through the gradient (L2)
///   adamw: p = (1 - rate * weight_decay) p    decoupled decay                   (Loshchilov & Hutter 2019)
///
///   m = beta1 m + (1 - beta1) g               the mean of recent gradients
///   v = beta2 v + (1 - beta2) g^2             and of their squares
///   p = p - rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
///
/// m and v start at 0, so at first they are too small: the weights (1 - beta1) beta1^i of the t gradients in m add up
/// to only 1 - beta1^t, hence the divisors. (muon uses Muon, see muon.hpp, for the layers' weight matrices, and adamw
/// for biases, gains, embeddings and an untied output matrix.)
template <std::floating_point Scalar>
class Optimizer {
 public:
  /// \param tensors  the places of all parameters of an arena, in its order
  Optimizer(const OptimizerSettings& settings, const std::vector<TensorPlace>& tensors);

  /// Update t (from 1; skipped ones do not count). A gradient whose `norm` exceeds clip_norm is first scaled down to
  /// it.
  void update(std::span<Scalar> parameters, std::span<const Scalar> gradient, double norm, double rate, Index t);

  /// State kept for the next update, [parameters] each. Muon keeps its momentum in m and does not use v.
  std::span<Scalar> m() { return {m_.data(), static_cast<std::size_t>(m_.size())}; }
  std::span<Scalar> v() { return {v_.data(), static_cast<std::size_t>(v_.size())}; }

 private:
  struct Range {
    Index begin, end;
  };
  void update_by_adam(Range range, std::span<Scalar> parameters, std::span<const Scalar> gradient, Scalar scale,
                      double rate, Index t);

  OptimizerSettings settings_;
  Buffer<Scalar> m_, v_;            // [1, parameters]
  std::vector<Range> adam_ranges_;  // everything that Muon does not update
  Muon<Scalar> muon_;
};

}  // namespace glassformer
