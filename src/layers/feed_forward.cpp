#include "layers/feed_forward.hpp"

namespace glassformer {

template <std::floating_point Scalar>
void FeedForward<Scalar>::forward(const Parameters& p, Activation activation, double dropout,
                                  ConstMatrixRef<Scalar> x, const Pass& pass, Site site, Cache& cache,
                                  const Recorder& recorder) {
  Linear<Scalar>::forward(p.expand, x, cache.expanded, recorder.at("fc1"));                 // [N, F]
  activate<Scalar>(activation, cache.expanded, cache.activated);                            // [N, F]
  recorder.record("activated [N, F] = activation({expanded})", cache.activated, cache.expanded);
  Dropout<Scalar>::forward(dropout, pass, site, 1, cache.activated, cache.dropout, recorder.at("dropout"));
  Linear<Scalar>::forward(p.contract, cache.activated, cache.output, recorder.at("fc2"));   // [N, D]
}

template <std::floating_point Scalar>
void FeedForward<Scalar>::backward(const Parameters& p, Activation activation, ConstMatrixRef<Scalar> x,
                                   Cache& cache, ConstMatrixRef<Scalar> d_y, Parameters& grad,
                                   const Recorder& recorder) {
  // output = contract(activated)
  Linear<Scalar>::backward(p.contract, cache.activated, d_y, grad.contract, cache.d_activated, recorder.at("fc2"));
  // activated = dropout(activation(expanded))
  Dropout<Scalar>::backward(cache.dropout, cache.d_activated, recorder.at("dropout"));
  activate_backward<Scalar>(activation, cache.expanded, cache.d_activated);
  Buffer<Scalar>& d_expanded = cache.d_activated;                                           // [N, F]
  recorder.record("d_expanded [N, F] = {d_activated} * activation'({expanded})", d_expanded, d_expanded,
                  cache.expanded);
  // expanded = expand(x)
  Linear<Scalar>::backward(p.expand, x, d_expanded, grad.expand, cache.d_input, recorder.at("fc1"));
}

template struct FeedForward<float>;
template struct FeedForward<double>;

}  // namespace glassformer
