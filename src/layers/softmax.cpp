#include "layers/softmax.hpp"

#include <cmath>
#include <limits>

#include "numerics/stretch.hpp"
#include "numerics/vectors.hpp"

namespace glassformer {

namespace {

/// exp(scores - largest). 0 for a score of -infinity, of which Eigen's exp makes something tiny.
template <class Scalar>
Stretch<Scalar> exp_below(const Stretch<Scalar>& scores, Scalar largest) {
  Stretch<Scalar> powers = (scores - largest).exp();
  for (Index k = 0; k < kStretch; k += kLanes<Scalar>) {
    const Vector<Scalar> score = load(scores.data() + k), power = load(powers.data() + k);
    store(score == kMinusInfinity<Scalar> ? Vector<Scalar>{} : power, powers.data() + k);
  }
  return powers;
}

}  // namespace

template <std::floating_point Scalar>
void MaskedSoftmax<Scalar>::forward_row(const std::uint8_t* blocked, Index size, Scalar* scores) {
  for (Index j = 0; j < size; ++j) scores[j] = blocked[j] ? kMinusInfinity<Scalar> : scores[j];
  Stretch<Scalar> largest_of = Stretch<Scalar>::Constant(kMinusInfinity<Scalar>);
  for (Index j = 0; j < size; j += kStretch) {
    largest_of = largest_of.max(load_stretch<Scalar>(scores, j, size, kMinusInfinity<Scalar>));
  }
  const Scalar largest = largest_of.maxCoeff();
  if (largest == kMinusInfinity<Scalar>) {  // nothing visible; but a visible NaN must not pass for nothing
    for (Index j = 0; j < size; ++j) scores[j] = std::isnan(scores[j]) ? scores[j] : 0;
    return;
  }
  Stretch<Scalar> sum_of = Stretch<Scalar>::Zero();
  for (Index j = 0; j < size; j += kStretch) {
    const Stretch<Scalar> power = exp_below(load_stretch<Scalar>(scores, j, size, kMinusInfinity<Scalar>), largest);
    sum_of += power;
    store_stretch(power, scores, j, size);
  }
  const Scalar inv_sum = 1 / sum_of.sum();
  for (Index j = 0; j < size; ++j) scores[j] *= inv_sum;
}

template <std::floating_point Scalar>
void MaskedSoftmax<Scalar>::backward(ConstMatrixRef<Scalar> weights, MatrixRef<Scalar> d_weights) {
  // weight_j = exp(score_j) / sum.  Raising one score lowers all the other weights of its row:
  //   d_score_j = weight_j * (d_weight_j - sum over k of weight_k * d_weight_k)
  const Index S = weights.cols();
  for (Index i = 0; i < weights.rows(); ++i) {
    const Scalar* const w = weights.row(i).data();
    Scalar* const d = d_weights.row(i).data();
    for (Index j = 0; j < S; ++j) d[j] = w[j] == 0 ? 0 : d[j];  // what stands behind a mask must not count, were it NaN
    Stretch<Scalar> sum_of = Stretch<Scalar>::Zero();
    for (Index k = 0; k < S; k += kStretch) {
      sum_of += load_stretch<Scalar>(w, k, S, 0) * load_stretch<Scalar>(d, k, S, 0);
    }
    const Scalar sum = sum_of.sum();
    for (Index j = 0; j < S; ++j) d[j] = w[j] * (d[j] - sum);
  }
}

template struct MaskedSoftmax<float>;
template struct MaskedSoftmax<double>;

}  // namespace glassformer
