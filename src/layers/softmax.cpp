#include "layers/softmax.hpp"

#include <limits>

namespace glassformer {

template <std::floating_point Scalar>
void MaskedSoftmax<Scalar>::forward_row(const std::uint8_t* blocked, Index size, Scalar* scores) {
  constexpr Scalar kMinusInfinity = -std::numeric_limits<Scalar>::infinity();
  Eigen::Map<Eigen::Array<Scalar, 1, Eigen::Dynamic>> row(scores, size);

  for (Index j = 0; j < size; ++j) scores[j] = blocked[j] ? kMinusInfinity : scores[j];
  const Scalar largest = row.template maxCoeff<Eigen::PropagateNaN>();  // a visible NaN must not pass for nothing
  if (largest == kMinusInfinity) {  // nothing visible
    row.setZero();
    return;
  }
  row = (row - largest).exp();
  // Eigen's exp(-infinity) is tiny, but not 0.
  for (Index j = 0; j < size; ++j) scores[j] = blocked[j] ? Scalar{0} : scores[j];
  row /= row.sum();
}

template <std::floating_point Scalar>
void MaskedSoftmax<Scalar>::backward(ConstMatrixRef<Scalar> weights, MatrixRef<Scalar> d_weights) {
  // weight_j = exp(score_j) / sum.  Raising one score lowers all the other weights of its row:
  //   d_score_j = weight_j * (d_weight_j - sum over k of weight_k * d_weight_k)
  for (Index i = 0; i < weights.rows(); ++i) {
    const auto w = weights.row(i).array();
    auto d = d_weights.row(i).array();
    d = (w == Scalar{0}).select(Scalar{0}, d);  // what stands behind a mask must not count, were it NaN
    d = w * (d - (w * d).sum());
  }
}

template struct MaskedSoftmax<float>;
template struct MaskedSoftmax<double>;

}  // namespace glassformer
