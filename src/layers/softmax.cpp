#include "layers/softmax.hpp"

#include <algorithm>
#include <limits>

#include "numerics/stretch.hpp"

namespace glassformer {

template <std::floating_point Scalar>
void MaskedSoftmax<Scalar>::forward_row(const std::uint8_t* blocked, Index size, Scalar* scores) {
  constexpr Scalar kMinusInfinity = -std::numeric_limits<Scalar>::infinity();
  for (Index j = 0; j < size; ++j) scores[j] = blocked[j] ? kMinusInfinity : scores[j];

  Stretch<Scalar> largest_of = Stretch<Scalar>::Constant(kMinusInfinity);
  for (Index j = 0; j < size; j += kStretch) {  // a visible NaN must not pass for nothing
    const Stretch<Scalar> score = load_stretch<Scalar>(scores, j, size, kMinusInfinity);
    largest_of = (largest_of >= score || largest_of.isNaN()).select(largest_of, score);
  }
  const Scalar largest = largest_of.template maxCoeff<Eigen::PropagateNaN>();
  if (largest == kMinusInfinity) {  // nothing visible
    std::fill(scores, scores + size, Scalar{0});
    return;
  }

  Stretch<Scalar> sum_of = Stretch<Scalar>::Zero();
  for (Index j = 0; j < size; j += kStretch) {
    const Stretch<Scalar> score = load_stretch<Scalar>(scores, j, size, kMinusInfinity);
    // Eigen's exp(-infinity) is tiny, but not 0.
    const Stretch<Scalar> weight = (score == kMinusInfinity).select(Scalar{0}, (score - largest).exp());
    sum_of += weight;
    store_stretch<Scalar>(weight, scores, j, size);
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
