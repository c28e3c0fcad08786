#include "glassformer/layers/layer_norm.hpp"

#include <cassert>
#include <cmath>
#include <utility>

#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {

template <std::floating_point Scalar>
LayerNorm<Scalar>::LayerNorm(const Part<Scalar>& part, Index width)
    : gain(part.vector("weight", width, Role::gain)),
      bias(part.vector("bias", width, Role::bias)),
      name_(part.name()) {}

template <std::floating_point Scalar>
const Buffer<Scalar>& LayerNorm<Scalar>::forward(const Pass& pass, const Buffer<Scalar>& x) {
  assert(x.cols() == gain.size());
  const auto g = gain.value();
  const auto b = bias.value();
  x_hat_.resize_like(x);
  inv_std_.resize(x.rows(), 1);
  y_.resize_like(x);
  for (Index n = 0; n < x.rows(); ++n) {
    const auto x_hat = x_hat_.row(n);
    const auto y = y_.row(n);
    const Scalar mean_x = mean(x.row(n));
    for (Index j = 0; j < x.cols(); ++j) {
      x_hat[j] = x(n, j) - mean_x;
    }
    const Scalar var = mean_square(x_hat);  // x_hat is only x - mean at this point
    const Scalar inv_std = 1 / std::sqrt(var + kEpsilon);
    scale(x_hat, inv_std);
    for (Index j = 0; j < x.cols(); ++j) {
      y[j] = g[j] * x_hat[j] + b[j];
    }
    inv_std_(n, 0) = inv_std;
  }
  pass.record(name_, "inv_std [N, 1] = 1 / sqrt(var({x}) + epsilon)", inv_std_, x);
  pass.record(name_, "x_hat [N, D] = ({x} - mean(x)) * {inv_std}", x_hat_, x, inv_std_);
  pass.record(name_, "y [N, D] = {gain [1, D]} * {x_hat} + {bias [1, D]}", y_, g, x_hat_, b);
  return y_;
}

// How d_x follows from d_xhat, in one row:  x_hat_i = inv_std (x_i - mean).  By the chain rule,  d_x_j = sum over i of
// d_xhat_i dx_hat_i/dx_j,  and x_j affects x_hat_i in three ways, each of which contributes a term to d_x_j:
//
// 1. As x_i itself, if i = j:  dx_hat_j/dx_j = inv_std.  Term:  inv_std d_xhat_j
// 2. Through the mean, for every i:  dmean/dx_j = 1/D,  so  dx_hat_i/dx_j = -inv_std / D.
//      Term:  sum over i of d_xhat_i (-inv_std / D) = -inv_std mean(d_xhat)
// 3. Through inv_std = (var + epsilon)^(-1/2), for every i:
//      dvar/dx_j     = 2 (x_j - mean) / D = 2 x_hat_j / (inv_std D)
//                      (x_j also moves the mean inside var, but dvar/dmean = -2 mean(x - mean) = 0)
//      dinv_std/dvar = -1/2 (var + epsilon)^(-3/2) = -inv_std^3 / 2
//      dinv_std/dx_j = -inv_std^3 / 2 * 2 x_hat_j / (inv_std D) = -inv_std^2 x_hat_j / D
//      dx_hat_i/dx_j = (x_i - mean) dinv_std/dx_j = -inv_std x_hat_i x_hat_j / D   (x_i - mean = x_hat_i / inv_std)
//      Term:  sum over i of d_xhat_i (-inv_std x_hat_i x_hat_j / D) = -inv_std x_hat_j mean(d_xhat * x_hat)
// The sum of the three:   d_x = inv_std * (d_xhat - mean(d_xhat) - x_hat * mean(d_xhat * x_hat))
template <std::floating_point Scalar>
Buffer<Scalar>& LayerNorm<Scalar>::backward(const Pass& pass, const Buffer<Scalar>& d_y) {
  assert(d_y.rows() == x_hat_.rows() && d_y.cols() == x_hat_.cols());
  const auto g = gain.value();
  const auto d_gain = gain.gradient();
  const auto d_bias = bias.gradient();
  d_xhat_.resize(1, d_y.cols());
  d_x_.resize_like(d_y);
  for (Index n = 0; n < d_y.rows(); ++n) {
    const auto x_hat = std::as_const(x_hat_).row(n);
    const auto dy = d_y.row(n);
    const auto d_xhat = d_xhat_.row(0);
    const auto d_x = d_x_.row(n);
    // y_nj = gain_j x_hat_nj + bias_j.  All rows n share gain and bias, so their gradients add up:
    //   d_gain_j = sum over n of d_y_nj x_hat_nj      d_bias_j = sum over n of d_y_nj      d_xhat_nj = d_y_nj gain_j
    for (Index j = 0; j < d_y.cols(); ++j) {
      d_gain[j] += dy[j] * x_hat[j];
      d_bias[j] += dy[j];
    }
    for (Index j = 0; j < d_y.cols(); ++j) {
      d_xhat[j] = dy[j] * g[j];
    }

    // x_hat = inv_std (x - mean).  The derivation above gives
    //   d_x = inv_std * (d_xhat - mean(d_xhat) - x_hat * mean(d_xhat * x_hat))
    const Scalar via_mean = mean(d_xhat);
    const Scalar via_variance = mean_product(d_xhat, x_hat);
    for (Index j = 0; j < d_y.cols(); ++j) {
      d_x[j] = inv_std_(n, 0) * (d_xhat[j] - via_mean - x_hat[j] * via_variance);
    }
  }
  pass.record(name_, "d_gain [1, D] += sum over n of {d_y}[n] * {x_hat}[n]", d_gain, d_y, x_hat_);
  pass.record(name_, "d_bias [1, D] += sum over n of {d_y}[n]", d_bias, d_y);
  pass.record(name_,
              "d_x [N, D] = {inv_std} * (d_xhat - mean(d_xhat) - {x_hat} * mean(d_xhat * x_hat)), "
              "where d_xhat = {d_y} * {gain}",
              d_x_, inv_std_, x_hat_, d_y, g);
  return d_x_;
}

template class LayerNorm<float>;
template class LayerNorm<double>;

}  // namespace glassformer
