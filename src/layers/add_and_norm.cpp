#include "glassformer/layers/add_and_norm.hpp"

namespace glassformer {

template <std::floating_point Scalar>
ResidualConnection<Scalar>::ResidualConnection(const Part<Scalar>& part, const AddAndNormSettings& settings)
    : layer_norm(norm_layer(part, settings)),
      norm_(settings.norm),
      residual_(settings.residual),
      name_(part.at("residual").name()),
      dropout_(part.at("residual").at("dropout"), settings.dropout) {}

template <std::floating_point Scalar>
const Buffer<Scalar>& ResidualConnection<Scalar>::enter(const Pass& pass, const Buffer<Scalar>& x) {
  return norm_ == Norm::pre ? layer_norm.forward(pass, x) : x;
}

template <std::floating_point Scalar>
const Buffer<Scalar>& ResidualConnection<Scalar>::leave_in_place(const Pass& pass, const Buffer<Scalar>& x,
                                                                 Buffer<Scalar>& sublayer_output) {
  dropout_.forward_in_place(pass, sublayer_output);
  Buffer<Scalar>& sum = sublayer_output;
  if (residual_) {
    sum.eigen() += x.eigen();
    pass.record(name_, "sum [N, D] = {x} + {sublayer}", sum, x, sublayer_output);
  }
  return norm_ == Norm::post ? layer_norm.forward(pass, sum) : sum;
}

template <std::floating_point Scalar>
const Buffer<Scalar>& ResidualConnection<Scalar>::leave_backward(const Pass& pass, const Buffer<Scalar>& d_y) {
  // post: y = LayerNorm(sum)        pre: y = sum
  d_sum_ = norm_ == Norm::post ? &layer_norm.backward(pass, d_y) : &d_y;
  // sum = x + dropout(sublayer output).  Both terms get d_sum; enter_backward_in_place adds it to d_x.
  return dropout_.backward(pass, *d_sum_);
}

template <std::floating_point Scalar>
Buffer<Scalar>& ResidualConnection<Scalar>::enter_backward_in_place(const Pass& pass, Buffer<Scalar>& d_entered) {
  // x reaches y by two paths, around the sublayer and through it, so its gradients add up:
  //   d_x = d_sum + d_x_via_sublayer       post: d_entered        pre: LayerNorm.backward(d_entered)
  Buffer<Scalar>& d_x_via_sublayer = norm_ == Norm::post ? d_entered : layer_norm.backward(pass, d_entered);
  Buffer<Scalar>& d_x = d_x_via_sublayer;
  if (residual_) {
    d_x.eigen() += d_sum_->eigen();
    pass.record(name_, "d_x [N, D] = {d_sum} + {d_x_via_sublayer}", d_x, *d_sum_, d_x_via_sublayer);
  }
  return d_x;
}

template class ResidualConnection<float>;
template class ResidualConnection<double>;

}  // namespace glassformer
