#pragma once

#include <array>
#include <concepts>
#include <string>
#include <utility>

#include "glassformer/layers/pass.hpp"

namespace glassformer {

/// The nonlinearity between the two linear maps of the feed-forward network, applied to each element:
///
///   relu   max(0, x)
///   gelu   x * Phi(x), where Phi is the standard normal CDF, computed with erfc   (Hendrycks & Gimpel 2016)
///   swish  x * (1 / (1 + exp(-x)))                                                (Ramachandran, Zoph & Le 2017)
enum class Activation { relu, gelu, swish };
inline constexpr std::array kActivationNames = {"relu", "gelu", "swish"};  ///< in the order of the enum

/// y = activation(x), elementwise. N = rows, F = feed-forward width.
template <std::floating_point Scalar>
class ActivationLayer {
 public:
  ActivationLayer(std::string name, Activation activation) : name_(std::move(name)), activation_(activation) {}

  /// Maps x [N, F] to y [N, F]. Backward does not read y, so the caller may change it.
  Buffer<Scalar>& forward(const Pass& pass, const Buffer<Scalar>& x);
  Buffer<Scalar>& forward(const Pass& pass, Buffer<Scalar>&& x) = delete;  // backward reads x
  /// Turns d_y [N, F] into d_x.
  void backward_in_place(const Pass& pass, Buffer<Scalar>& d_y);

 private:
  std::string name_;
  Activation activation_;
  const Buffer<Scalar>* x_ = nullptr;  // forward's input
  Buffer<Scalar> y_;                   // [N, F]
};

}  // namespace glassformer
