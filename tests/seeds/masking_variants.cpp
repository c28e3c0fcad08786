#include "seeds/masking_variants.hpp"

#include <cassert>
#include <cmath>

namespace glassformer {

template <std::floating_point Scalar>
Matrix<Scalar> unmasked_softmax(const Matrix<Scalar>& scores) {
  Matrix<Scalar> weights(scores.rows(), scores.cols());
  for (Index t = 0; t < scores.rows(); ++t) {
    const Scalar largest = scores.row(t).maxCoeff();
    for (Index s = 0; s < scores.cols(); ++s) {
      weights(t, s) = std::exp(scores(t, s) - largest);
    }
  }
  return renormalised(weights);
}

template <class Scalar>
Matrix<Scalar> additive_mask(const Mask& mask, double value) {
  return mask.blocked.eigen().unaryExpr(
      [&](std::uint8_t blocked) { return static_cast<Scalar>(blocked ? value : 0.0); });
}

template <std::floating_point Scalar>
Matrix<Scalar> mask_after_softmax(const Matrix<Scalar>& scores, const Mask& mask) {
  assert(mask.sentences == 1 && mask.keys() == scores.cols());
  assert(mask.queries == 1 || mask.queries == scores.rows());
  Matrix<Scalar> weights = unmasked_softmax(scores);
  for (Index t = 0; t < weights.rows(); ++t) {
    for (Index s = 0; s < weights.cols(); ++s) {
      if (mask.is_blocked(0, t, s)) {
        weights(t, s) = 0;
      }
    }
  }
  return weights;
}

template <std::floating_point Scalar>
Matrix<Scalar> renormalised(const Matrix<Scalar>& weights) {
  return weights.array().colwise() / weights.rowwise().sum().array();
}

template Matrix<float> unmasked_softmax(const Matrix<float>&);
template Matrix<double> unmasked_softmax(const Matrix<double>&);
template Matrix<Eigen::half> additive_mask(const Mask&, double);
template Matrix<float> additive_mask(const Mask&, double);
template Matrix<double> additive_mask(const Mask&, double);
template Matrix<float> mask_after_softmax(const Matrix<float>&, const Mask&);
template Matrix<double> mask_after_softmax(const Matrix<double>&, const Mask&);
template Matrix<float> renormalised(const Matrix<float>&);
template Matrix<double> renormalised(const Matrix<double>&);

}  // namespace glassformer
