#include "layers/add_and_norm.hpp"

namespace glassformer {

template <std::floating_point Scalar>
const Buffer<Scalar>& AddAndNorm<Scalar>::enter(Norm norm, const Parameters& p, const Buffer<Scalar>& x,
                                                Cache& cache, const Recorder& recorder) {
  if (norm == Norm::pre) LayerNorm<Scalar>::forward(p, x, cache.norm, cache.normed, recorder);
  return entered(norm, x, cache);
}

template <std::floating_point Scalar>
void AddAndNorm<Scalar>::leave(Norm norm, const Parameters& p, const Buffer<Scalar>& x,
                               const Buffer<Scalar>& sublayer_output, double dropout, const Pass& pass, Site site,
                               Cache& cache, const Recorder& recorder) {
  const Recorder join = recorder.at("residual");
  Buffer<Scalar>& sum = norm == Norm::post ? cache.sum : cache.output;
  sum.resize_like(x);
  Dropout<Scalar>::forward(dropout, pass, site, 1, sublayer_output, sum, cache.dropout, join.at("dropout"));
  sum += x;
  join.record("sum [N, D] = {x} + {sublayer}", sum, x, sum);
  if (norm == Norm::post) LayerNorm<Scalar>::forward(p, sum, cache.norm, cache.output, recorder);
}

template <std::floating_point Scalar>
void AddAndNorm<Scalar>::leave_backward(Norm norm, const Parameters& p, Cache& cache, const Buffer<Scalar>& d_y,
                                        Parameters& grad, const Recorder& recorder) {
  const Recorder join = recorder.at("residual");
  // post: y = LayerNorm(sum)        pre: y = sum
  if (norm == Norm::post) {
    LayerNorm<Scalar>::backward(p, cache.norm, d_y, grad, cache.d_sum, recorder);
  } else {
    cache.d_sum.resize_like(d_y);
    cache.d_sum.view() = d_y;
    join.copied(d_y, cache.d_sum);
  }
  // sum = x + dropout(sublayer_output)
  cache.d_sublayer.resize_like(d_y);
  Dropout<Scalar>::backward(cache.dropout, cache.d_sum, cache.d_sublayer, join.at("dropout"));
}

template <std::floating_point Scalar>
void AddAndNorm<Scalar>::enter_backward(Norm norm, const Parameters& p, Cache& cache,
                                        const Buffer<Scalar>& d_sublayer_input, Parameters& grad,
                                        const Recorder& recorder) {
  const Recorder join = recorder.at("residual");
  // x goes two ways, past the sublayer and into it:   d_x = d_sum + what comes back out of the sublayer
  if (norm == Norm::post) {
    cache.d_input.resize_like(cache.d_sum);
    cache.d_input.view() = cache.d_sum + d_sublayer_input;
    join.record("d_x [N, D] = {d_sum} + {d_sublayer_input}", cache.d_input, cache.d_sum, d_sublayer_input);
  } else {
    LayerNorm<Scalar>::backward(p, cache.norm, d_sublayer_input, grad, cache.d_input, recorder);
    cache.d_input += cache.d_sum;
    join.record("d_x [N, D] = {d_sum} + {d_normed_input}", cache.d_input, cache.d_sum, cache.d_input);
  }
}

template struct AddAndNorm<float>;
template struct AddAndNorm<double>;

}  // namespace glassformer
