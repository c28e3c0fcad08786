#include "lora_linear.hpp"

#include "glassformer/numerics/gemm.hpp"

namespace glassformer {

template <std::floating_point Scalar>
LoraLinear<Scalar>::LoraLinear(const Part<Scalar>& part, Index in, Index out, Index rank, double alpha)
    : weight(part.matrix("weight", out, in, Role::projection)),
      a(part.matrix("lora_A", rank, in, Role::projection)),
      b(part.matrix("lora_B", out, rank, Role::projection)),
      scale_(static_cast<Scalar>(alpha / static_cast<double>(rank))) {}

template <std::floating_point Scalar>
const Buffer<Scalar>& LoraLinear<Scalar>::forward(const Buffer<Scalar>& x) {
  x_ = &x;
  low_.resize(x.rows(), a.rows());
  multiply_transposed_right(x, a.value(), low_, Result::overwrite);  // [N, R]
  low_.eigen() *= scale_;                                            // here it multiplies the fewest numbers
  y_.resize(x.rows(), weight.rows());
  multiply_transposed_right(x, weight.value(), y_, Result::overwrite);  // [N, out]
  multiply_transposed_right(low_, b.value(), y_, Result::add);          // [N, out]
  return y_;
}

// low = scale x A^T and y = x W^T + low B^T. These are linear maps, so the gradients of chapter 5 apply to each.
template <std::floating_point Scalar>
const Buffer<Scalar>& LoraLinear<Scalar>::backward(const Buffer<Scalar>& d_y) {
  const Buffer<Scalar>& x = *x_;
  // y = ... + low B^T:   d_B = d_y^T low        d_low = d_y B
  multiply_transposed_left(d_y, low_, b.gradient(), Result::add);  // [out, R]
  d_low_.resize_like(low_);
  multiply(d_y, b.value(), d_low_, Result::overwrite);  // [N, R]

  // low = scale x A^T:   with d_product = scale d_low, the gradient of x A^T,   d_A = d_product^T x
  Buffer<Scalar>& d_product = d_low_;
  d_product.eigen() *= scale_;
  multiply_transposed_left(d_product, x, a.gradient(), Result::add);  // [R, in]

  // x is used twice, in x W^T and in x A^T:   d_x = d_y W + d_product A
  d_x_.resize_like(x);
  multiply(d_y, weight.value(), d_x_, Result::overwrite);  // [N, in]
  multiply(d_product, a.value(), d_x_, Result::add);       // [N, in]
  return d_x_;
}

template class LoraLinear<double>;

}  // namespace glassformer
