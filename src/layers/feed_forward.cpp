#include "layers/feed_forward.hpp"

namespace glassformer {

template <std::floating_point Scalar>
void FeedForward<Scalar>::forward(const Parameters& p, Activation activation, double dropout,
                                  ConstMatrixRef<Scalar> x, const Pass& pass, Site site, Cache& cache) {
  Linear<Scalar>::forward(p.expand, x, cache.expanded);                                     // [N, F]
  activate<Scalar>(activation, cache.expanded, cache.activated);                            // [N, F]
  Dropout<Scalar>::forward(dropout, pass, site, 1, cache.activated, cache.dropout);
  Linear<Scalar>::forward(p.contract, cache.activated, cache.output);                       // [N, D]
}

template <std::floating_point Scalar>
void FeedForward<Scalar>::backward(const Parameters& p, Activation activation, ConstMatrixRef<Scalar> x,
                                   Cache& cache, ConstMatrixRef<Scalar> d_y, Parameters& grad) {
  // output = contract(activated)
  Linear<Scalar>::backward(p.contract, cache.activated, d_y, grad.contract, cache.d_activated);
  // activated = dropout(activation(expanded))
  Dropout<Scalar>::backward(cache.dropout, cache.d_activated);
  activate_backward<Scalar>(activation, cache.expanded, cache.d_activated);                 // now d_expanded
  // expanded = expand(x)
  Linear<Scalar>::backward(p.expand, x, cache.d_activated, grad.expand, cache.d_input);
}

template struct FeedForward<float>;
template struct FeedForward<double>;

}  // namespace glassformer
