#include "layers/linear.hpp"

#include <algorithm>
#include <cassert>

#include "numerics/gemm.hpp"

namespace glassformer {
namespace {

/// sum += all rows of x, in their order; some columns at a time, whose sum stays at hand.
template <class Scalar>
void add_rows(ConstMatrixRef<Scalar> x, RowVectorView<Scalar>& sum) {
  constexpr Index kColumns = 256;
  for (Index first = 0; first < x.cols(); first += kColumns) {
    const Index size = std::min(kColumns, x.cols() - first);
    for (Index n = 0; n < x.rows(); ++n) sum.segment(first, size) += x.row(n).segment(first, size);
  }
}

}  // namespace

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
  add_rows<Scalar>(d_y, grad.bias);                                          // [out]
  // y = x W^T + ...
  multiply_transposed_left<Scalar>(d_y, x, grad.weight, Result::add);        // [out, in]
  d_x.resize(x.rows(), x.cols());
  multiply<Scalar>(d_y, p.weight, d_x, Result::overwrite);                   // [N, in]
}

template struct Linear<float>;
template struct Linear<double>;

}  // namespace glassformer
