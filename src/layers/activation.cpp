#include "glassformer/layers/activation.hpp"

#include <algorithm>
#include <cassert>
#include <numbers>

#include "glassformer/numerics/functions.hpp"

namespace glassformer {
namespace {

template <class Scalar>
Scalar normal_cdf(Scalar x) {
  return erfc(-x / std::numbers::sqrt2_v<Scalar>) / 2;
}

/// exp(-x^2 / 2) / sqrt(2 pi), the derivative of normal_cdf.
template <class Scalar>
Scalar normal_density(Scalar x) {
  return exp(-x * x / 2) * std::numbers::inv_sqrtpi_v<Scalar> / std::numbers::sqrt2_v<Scalar>;
}

template <class Scalar>
Scalar sigmoid(Scalar x) {
  return 1 / (1 + exp(-x));
}

/// Calls function(x_nj, y_nj) for every element.
template <class Scalar>
void for_each_element(const Buffer<Scalar>& x, Buffer<Scalar>& y, const auto& function) {
  for (Index n = 0; n < x.rows(); ++n) {
    const auto from = x.row(n);
    const auto to = y.row(n);
    for (Index j = 0; j < to.size(); ++j) {
      function(from[j], to[j]);
    }
  }
}

}  // namespace

template <std::floating_point Scalar>
Buffer<Scalar>& ActivationLayer<Scalar>::forward(const Pass& pass, const Buffer<Scalar>& x) {
  x_ = &x;
  y_.resize_like(x);
  switch (activation_) {
    case Activation::relu:
      for_each_element(x, y_, [](Scalar from, Scalar& y) { y = std::max(from, Scalar{0}); });
      break;
    case Activation::gelu:
      for_each_element(x, y_, [](Scalar from, Scalar& y) { y = from * normal_cdf(from); });
      break;
    case Activation::swish:
      for_each_element(x, y_, [](Scalar from, Scalar& y) { y = from * sigmoid(from); });
      break;
  }
  pass.record(name_, "activated [N, F] = activation({expanded})", y_, x);
  return y_;
}

template <std::floating_point Scalar>
void ActivationLayer<Scalar>::backward_in_place(const Pass& pass, Buffer<Scalar>& d_y) {
  const Buffer<Scalar>& x = *x_;
  assert(x.rows() == d_y.rows() && x.cols() == d_y.cols());
  Buffer<Scalar>& d_x = d_y;
  switch (activation_) {
    case Activation::relu:
      // y = max(0, x).  The slope is 1 above 0 and 0 below 0. At 0 it is undefined, and we take 0, as usual.
      for_each_element(x, d_x, [](Scalar from, Scalar& d) { d = from > 0 ? d : 0; });
      break;
    case Activation::gelu:
      // y = x Phi(x).  By the product rule y' = Phi(x) + x Phi'(x), where Phi'(x) = exp(-x^2 / 2) / sqrt(2 pi).
      for_each_element(x, d_x, [](Scalar from, Scalar& d) { d *= normal_cdf(from) + from * normal_density(from); });
      break;
    case Activation::swish:
      // y = x s, s = sigmoid(x).  s' = s (1 - s), so by the product rule y' = s + x s (1 - s) = s (1 + x (1 - s)).
      for_each_element(x, d_x, [](Scalar from, Scalar& d) { d *= sigmoid(from) * (1 + from * (1 - sigmoid(from))); });
      break;
  }
  pass.record(name_, "d_expanded [N, F] = {d_activated} * activation'({expanded})", d_x, d_y, x);
}

template class ActivationLayer<float>;
template class ActivationLayer<double>;

}  // namespace glassformer
