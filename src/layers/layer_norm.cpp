#include "layers/layer_norm.hpp"

#include <cassert>
#include <cmath>

namespace glassformer {

template <std::floating_point Scalar>
void LayerNorm<Scalar>::forward(const Parameters& p, ConstMatrixRef<Scalar> x, Cache& cache, Buffer<Scalar>& y,
                                const Recorder& recorder) {
  assert(x.cols() == p.gain.cols());
  cache.x_hat.resize_like(x);
  cache.inv_std.resize(x.rows(), 1);
  y.resize_like(x);
  for (Index n = 0; n < x.rows(); ++n) {
    auto x_hat = cache.x_hat.row(n);
    // (* 1: of a plain row, Eigen adds the numbers in an order that depends on where in memory the row lies.)
    x_hat.array() = x.row(n).array() - (x.row(n).array() * Scalar{1}).mean();
    const Scalar inv_std = 1 / std::sqrt(x_hat.squaredNorm() / static_cast<Scalar>(x.cols()) + kEpsilon);
    x_hat *= inv_std;
    y.row(n) = p.gain.cwiseProduct(x_hat) + p.bias;
    cache.inv_std(n, 0) = inv_std;
  }
  recorder.record("inv_std [N, 1] = 1 / sqrt(var({x}) + epsilon)", cache.inv_std, x);
  recorder.record("x_hat [N, D] = ({x} - mean(x)) * {inv_std}", cache.x_hat, x, cache.inv_std);
  recorder.record("y [N, D] = {gain [1, D]} * {x_hat} + {bias [1, D]}", y, p.gain, cache.x_hat, p.bias);
}

template <std::floating_point Scalar>
void LayerNorm<Scalar>::backward(const Parameters& p, Cache& cache, ConstMatrixRef<Scalar> d_y, Parameters& grad,
                                 Buffer<Scalar>& d_x, const Recorder& recorder) {
  assert(d_y.rows() == cache.x_hat.rows() && d_y.cols() == cache.x_hat.cols());
  d_x.resize_like(d_y);
  RowVector<Scalar>& d_xhat = cache.d_xhat;
  for (Index n = 0; n < d_y.rows(); ++n) {
    const auto x_hat = cache.x_hat.row(n);
    // y = gain * x_hat + bias.  All rows share gain and bias, so their gradients add up.
    grad.gain += d_y.row(n).cwiseProduct(x_hat);
    grad.bias += d_y.row(n);
    d_xhat = d_y.row(n).cwiseProduct(p.gain);

    // x_hat = inv_std * (x - mean).  x also moves its row's mean and variance, hence two corrections:
    //   d_x = inv_std * (d_xhat - mean(d_xhat) - x_hat * mean(d_xhat * x_hat))
    const Scalar via_mean = d_xhat.mean();
    const Scalar via_var = d_xhat.dot(x_hat) / static_cast<Scalar>(d_y.cols());
    d_x.row(n).array() = cache.inv_std(n, 0) * (d_xhat.array() - via_mean - x_hat.array() * via_var);
  }
  recorder.record("d_gain [1, D] += sum over n of {d_y}[n] * {x_hat}[n]", grad.gain, d_y, cache.x_hat);
  recorder.record("d_bias [1, D] += sum over n of {d_y}[n]", grad.bias, d_y);
  recorder.record("d_x [N, D] = {inv_std} * (d_xhat - mean(d_xhat) - {x_hat} * mean(d_xhat * x_hat)), "
                  "where d_xhat = {d_y} * {gain}", d_x, cache.inv_std, cache.x_hat, d_y, p.gain);
}

template struct LayerNorm<float>;
template struct LayerNorm<double>;

}  // namespace glassformer
