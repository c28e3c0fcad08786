#include "layers/activation.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

namespace glassformer {
namespace {

template <class Scalar>
Scalar normal_cdf(Scalar x) {
  return (1 + std::erf(x / std::numbers::sqrt2_v<Scalar>)) / 2;
}

template <class Scalar>
Scalar normal_density(Scalar x) {
  return std::exp(-x * x / 2) * std::numbers::inv_sqrtpi_v<Scalar> / std::numbers::sqrt2_v<Scalar>;
}

template <class Scalar>
Scalar sigmoid(Scalar x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace

template <std::floating_point Scalar>
void activate(Activation activation, ConstMatrixRef<Scalar> x, Buffer<Scalar>& y) {
  y.resize_like(x);
  switch (activation) {
    case Activation::relu:
      y = x.cwiseMax(Scalar{0});
      return;
    case Activation::gelu:
      y = x.unaryExpr([](Scalar v) { return v * normal_cdf(v); });
      return;
    case Activation::swish:
      y = x.unaryExpr([](Scalar v) { return v * sigmoid(v); });
      return;
  }
}

template <std::floating_point Scalar>
void activate_backward(Activation activation, ConstMatrixRef<Scalar> x, MatrixRef<Scalar> d_y) {
  assert(x.rows() == d_y.rows() && x.cols() == d_y.cols());
  switch (activation) {
    case Activation::relu:
      // y = max(0, x).  The slope at 0 is taken as 0, as everyone does.
      d_y = (x.array() > Scalar{0}).select(d_y, Scalar{0});
      return;
    case Activation::gelu:
      // y = x * Phi(x), and Phi' is the density
      d_y.array() *= x.unaryExpr([](Scalar v) { return normal_cdf(v) + v * normal_density(v); }).array();
      return;
    case Activation::swish:
      // y = x * sigmoid(x), and sigmoid' = sigmoid * (1 - sigmoid)
      d_y.array() *= x.unaryExpr([](Scalar v) { return sigmoid(v) * (1 + v * (1 - sigmoid(v))); }).array();
      return;
  }
}

#define GLASSFORMER_INSTANTIATE(Scalar)                                                       \
  template void activate<Scalar>(Activation, ConstMatrixRef<Scalar>, Buffer<Scalar>&);        \
  template void activate_backward<Scalar>(Activation, ConstMatrixRef<Scalar>, MatrixRef<Scalar>);
GLASSFORMER_INSTANTIATE(float)
GLASSFORMER_INSTANTIATE(double)
#undef GLASSFORMER_INSTANTIATE

}  // namespace glassformer
