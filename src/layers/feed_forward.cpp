#include "glassformer/layers/feed_forward.hpp"

namespace glassformer {

template <std::floating_point Scalar>
FeedForward<Scalar>::FeedForward(const Part<Scalar>& part, const FeedForwardSettings& settings)
    : expand(part.at("fc1").with({{"out", "F"}}), settings.width, settings.inner_width),
      contract(part.at("fc2").with({{"in", "F"}}), settings.inner_width, settings.width),
      activation_(part.name(), settings.activation),
      dropout_(part.at("dropout").with({{"D", "F"}}), settings.dropout) {}

template <std::floating_point Scalar>
Buffer<Scalar>& FeedForward<Scalar>::forward(const Pass& pass, const Buffer<Scalar>& x) {
  Buffer<Scalar>& expanded = expand.forward(pass, x);               // [N, F]
  Buffer<Scalar>& activated = activation_.forward(pass, expanded);  // [N, F]
  dropout_.forward_in_place(pass, activated);
  return contract.forward(pass, activated);  // [N, D]
}

template <std::floating_point Scalar>
Buffer<Scalar>& FeedForward<Scalar>::backward(const Pass& pass, const Buffer<Scalar>& d_y) {
  // y = contract(activated)
  Buffer<Scalar>& d_activated = contract.backward(pass, d_y);  // [N, F]
  // activated = dropout(activation(expanded)); each overwrites the gradient of its output with that of its input
  dropout_.backward_in_place(pass, d_activated);
  activation_.backward_in_place(pass, d_activated);
  const Buffer<Scalar>& d_expanded = d_activated;
  // expanded = expand(x)
  return expand.backward(pass, d_expanded);  // [N, D]
}

template class FeedForward<float>;
template class FeedForward<double>;

}  // namespace glassformer
