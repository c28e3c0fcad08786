#include "glassformer/layers/linear.hpp"

#include <cassert>
#include <utility>

#include "glassformer/numerics/gemm.hpp"
#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {

template <std::floating_point Scalar>
Linear<Scalar>::Linear(const Part<Scalar>& part, Index in, Index out)
    : weight(part.matrix("weight", out, in, Role::projection)),
      bias(part.vector("bias", out, Role::bias)),
      name_(part.name()) {}

template <std::floating_point Scalar>
Linear<Scalar>::Linear(std::string name, MatrixParameter<Scalar> shared_weight, VectorParameter<Scalar> shared_bias)
    : weight(shared_weight), bias(shared_bias), name_(std::move(name)) {}

template <std::floating_point Scalar>
Buffer<Scalar>& Linear<Scalar>::forward(const Pass& pass, const Buffer<Scalar>& x) {
  assert(x.cols() == weight.cols());
  x_ = &x;
  y_.resize(x.rows(), weight.rows());
  multiply_transposed_right(x, weight.value(), bias.value(), y_);
  pass.record(name_, "y [N, out] = {x} {weight [out, in]}^T + {bias [1, out]}", y_, x, weight.value(), bias.value());
  return y_;
}

// For each element:  y_nk = sum over i of x_ni W_ki + b_k.  By the chain rule, the gradient of an entry of x, W or b is
// a sum over all y_nk that depend on it. Each term is d_y_nk times the derivative of y_nk with respect to that entry.
template <std::floating_point Scalar>
Buffer<Scalar>& Linear<Scalar>::backward(const Pass& pass, const Buffer<Scalar>& d_y) {
  const Buffer<Scalar>& x = *x_;
  assert(d_y.rows() == x.rows() && d_y.cols() == weight.rows());
  // y = ... + b.  b_k affects y_nk in every row n, and dy_nk/db_k = 1:   d_b_k = sum over n of d_y_nk
  auto d_bias = bias.gradient();
  for (Index n = 0; n < d_y.rows(); ++n) {
    add(d_y.row(n), d_bias);  // [out]
  }
  pass.record(name_, "d_bias [1, out] += sum over n of {d_y}[n]", d_bias, d_y);

  // y = x W^T + ...  W_ki affects y_nk in every row n, and dy_nk/dW_ki = x_ni:   d_W_ki = sum over n of d_y_nk x_ni
  // That is row k of d_y^T times column i of x:   d_W = d_y^T x   [out, N] times [N, in]
  auto d_weight = weight.gradient();
  multiply_transposed_left(d_y, x, d_weight, Result::add);  // [out, in]
  pass.record(name_, "d_weight [out, in] += {d_y}^T {x}", d_weight, d_y, x);

  // y = x W^T + ...  x_ni affects y_nk for every output k, and dy_nk/dx_ni = W_ki:   d_x_ni = sum over k of d_y_nk W_ki
  // That is row n of d_y times column i of W:   d_x = d_y W   [N, out] times [out, in]
  d_x_.resize_like(x);
  multiply(d_y, weight.value(), d_x_, Result::overwrite);  // [N, in]
  pass.record(name_, "d_x [N, in] = {d_y} {weight}", d_x_, d_y, weight.value());
  return d_x_;
}

template class Linear<float>;
template class Linear<double>;

}  // namespace glassformer
