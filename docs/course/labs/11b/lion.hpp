#pragma once

#include <span>
#include <vector>

#include "glassformer/numerics/index.hpp"

namespace glassformer {

struct LionSettings {
  double beta1 = 0.9, beta2 = 0.99;
  double weight_decay = 0;  ///< decoupled
  double clip_norm = 0;     ///< larger gradients are scaled down to this global norm; 0: never
};

/// Lion (Chen et al. 2023, "Symbolic Discovery of Optimization Algorithms", arXiv 2302.06675, found by a program that
/// searched for update rules), for each parameter p with gradient g (clipped):
///
///   c = beta1 m + (1 - beta1) g                  the direction of this update
///   p = p - rate * (sign(c) + weight_decay p)    decoupled decay, as in adamw
///   m = beta2 m + (1 - beta2) g                  the mean of recent gradients, for the next update
///
/// m starts at 0. Adam keeps two numbers for each parameter, Lion only one. Because of the sign, every parameter moves
/// by the whole rate, so the authors recommend a rate 3 to 10 times smaller than Adam's, and a weight_decay larger by
/// the same factor.
class Lion {
 public:
  Lion(const LionSettings& settings, Index parameters)
      : settings_(settings), m_(static_cast<std::size_t>(parameters), 0.0) {}

  /// One update in place. gradient and parameters have a number for each parameter; `norm` is the gradient's Euclidean
  /// norm.
  void update(std::span<double> parameters, std::span<const double> gradient, double norm, double rate);

  std::span<const double> m() const { return m_; }

 private:
  LionSettings settings_;
  std::vector<double> m_;  // [parameters]
};

/// 1 if x is above 0, -1 if it is below 0, and 0 if it is 0.
double sign(double x);

}  // namespace glassformer
