#pragma once

#include <concepts>

#include "numerics/matrix.hpp"

namespace glassformer {

/// The bend between the two linear maps of the feed-forward network, applied to each number:
///
///   relu   max(0, x)
///   gelu   x * Phi(x), Phi the normal distribution's cumulative function (Hendrycks & Gimpel 2016; by erf)
///   swish  x / (1 + exp(-x))                                           (Ramachandran, Zoph & Le 2017)
enum class Activation { relu, gelu, swish };

/// x [N, F] gives y [N, F].
template <std::floating_point Scalar>
void activate(Activation activation, ConstMatrixRef<Scalar> x, Buffer<Scalar>& y);

/// In place: d_y becomes d_x = d_y * y'(x).
template <std::floating_point Scalar>
void activate_backward(Activation activation, ConstMatrixRef<Scalar> x, MatrixRef<Scalar> d_y);

}  // namespace glassformer
