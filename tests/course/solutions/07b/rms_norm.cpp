#include "rms_norm.hpp"

#include <cmath>

#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {

template <std::floating_point Scalar>
RmsNorm<Scalar>::RmsNorm(const Part<Scalar>& part, Index width) : gain(part.vector("weight", width, Role::gain)) {}

template <std::floating_point Scalar>
const Buffer<Scalar>& RmsNorm<Scalar>::forward(const Buffer<Scalar>& x) {
  const auto g = gain.value();
  x_hat_.resize_like(x);
  inv_rms_.resize(x.rows(), 1);
  y_.resize_like(x);
  for (Index n = 0; n < x.rows(); ++n) {
    const Scalar inv_rms = 1 / std::sqrt(mean_square(x.row(n)) + kEpsilon);
    inv_rms_(n, 0) = inv_rms;
    for (Index j = 0; j < x.cols(); ++j) {
      x_hat_(n, j) = inv_rms * x(n, j);
      y_(n, j) = g[j] * x_hat_(n, j);
    }
  }
  return y_;
}

// How d_x follows from d_xhat, in one row:  x_hat_i = inv_rms x_i.  x_j affects x_hat_i in two ways:
//
// 1. As x_i itself, if i = j:  dx_hat_j/dx_j = inv_rms.  Term:  inv_rms d_xhat_j
// 2. Through inv_rms = (m + epsilon)^(-1/2), where m = mean(x^2), for every i:
//      dm/dx_j       = 2 x_j / D
//      dinv_rms/dm   = -1/2 (m + epsilon)^(-3/2) = -inv_rms^3 / 2
//      dinv_rms/dx_j = -inv_rms^3 x_j / D = -inv_rms^2 x_hat_j / D
//      dx_hat_i/dx_j = x_i dinv_rms/dx_j = -inv_rms x_hat_i x_hat_j / D        (x_i = x_hat_i / inv_rms)
//      Term:  sum over i of d_xhat_i (-inv_rms x_hat_i x_hat_j / D) = -inv_rms x_hat_j mean(d_xhat * x_hat)
// The sum of the two:   d_x = inv_rms * (d_xhat - x_hat * mean(d_xhat * x_hat))
template <std::floating_point Scalar>
const Buffer<Scalar>& RmsNorm<Scalar>::backward(const Buffer<Scalar>& d_y) {
  const auto g = gain.value();
  const auto d_gain = gain.gradient();
  d_xhat_.resize(1, d_y.cols());
  d_x_.resize_like(d_y);
  for (Index n = 0; n < d_y.rows(); ++n) {
    // y_nj = gain_j x_hat_nj.  All rows n share the gain, so its gradients add up.
    for (Index j = 0; j < d_y.cols(); ++j) {
      d_gain[j] += d_y(n, j) * x_hat_(n, j);
      d_xhat_(0, j) = d_y(n, j) * g[j];
    }
    const Scalar via_rms = mean_product(d_xhat_.row(0), x_hat_.row(n));
    for (Index j = 0; j < d_y.cols(); ++j) {
      d_x_(n, j) = inv_rms_(n, 0) * (d_xhat_(0, j) - x_hat_(n, j) * via_rms);
    }
  }
  return d_x_;
}

template class RmsNorm<double>;

}  // namespace glassformer
