#include "layers/linear.hpp"

#include <cassert>

#include "numerics/gemm.hpp"

namespace glassformer {

template <std::floating_point Scalar>
void Linear<Scalar>::forward(const Parameters& p, ConstMatrixRef<Scalar> x, Buffer<Scalar>& y) {
  assert(x.cols() == p.weight.cols());
  y.resize(x.rows(), p.weight.rows());
  multiply_transposed_right<Scalar>(x, p.weight, p.bias, y);
}

template <std::floating_point Scalar>
void Linear<Scalar>::backward(const Parameters& p, ConstMatrixRef<Scalar> x, ConstMatrixRef<Scalar> d_y,
                              Parameters& grad, Buffer<Scalar>& d_x) {
  assert(d_y.rows() == x.rows() && d_y.cols() == p.weight.rows());
  // y = ... + b.  All rows share the bias, so its gradients add up.
  for (Index n = 0; n < d_y.rows(); ++n) grad.bias += d_y.row(n);            // [out]
  // y = x W^T + ...
  multiply_transposed_left<Scalar>(d_y, x, grad.weight, Result::add);        // [out, in]
  d_x.resize(x.rows(), x.cols());
  multiply<Scalar>(d_y, p.weight, d_x, Result::overwrite);                   // [N, in]
}

template struct Linear<float>;
template struct Linear<double>;

}  // namespace glassformer
