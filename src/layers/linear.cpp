#include "layers/linear.hpp"

#include <cassert>

#include "numerics/gemm.hpp"

namespace glassformer {

template <std::floating_point Scalar>
void Linear<Scalar>::forward(const Parameters& p, ConstMatrixRef<Scalar> x, Buffer<Scalar>& y,
                             const Recorder& recorder) {
  assert(x.cols() == p.weight.cols());
  y.resize(x.rows(), p.weight.rows());
  multiply_transposed_right<Scalar>(x, p.weight, p.bias, y);
  recorder.record("y [N, out] = {x} {weight [out, in]}^T + {bias [1, out]}", y, x, p.weight, p.bias);
}

template <std::floating_point Scalar>
void Linear<Scalar>::backward(const Parameters& p, ConstMatrixRef<Scalar> x, ConstMatrixRef<Scalar> d_y,
                              Parameters& grad, Buffer<Scalar>& d_x, const Recorder& recorder) {
  assert(d_y.rows() == x.rows() && d_y.cols() == p.weight.rows());
  // y = ... + b.  All rows share the bias, so its gradients add up.
  for (Index n = 0; n < d_y.rows(); ++n) grad.bias += d_y.row(n);            // [out]
  recorder.record("d_bias [1, out] += sum over n of {d_y}[n]", grad.bias, d_y);

  // y = x W^T + ...
  multiply_transposed_left<Scalar>(d_y, x, grad.weight, Result::add);        // [out, in]
  recorder.record("d_weight [out, in] += {d_y}^T {x}", grad.weight, d_y, x);

  d_x.resize(x.rows(), x.cols());
  multiply<Scalar>(d_y, p.weight, d_x, Result::overwrite);                   // [N, in]
  recorder.record("d_x [N, in] = {d_y} {weight}", d_x, d_y, p.weight);
}

template struct Linear<float>;
template struct Linear<double>;

}  // namespace glassformer
