#include "glassformer/layers/softmax.hpp"

#include <cassert>

#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {

template <std::floating_point Scalar>
void MaskedSoftmax<Scalar>::forward_in_place(const Pass& pass, Buffer<Scalar>& scores, const Mask& mask) {
  assert(scores.cols() == mask.keys());
  Buffer<Scalar>& weights = scores;  // the same memory: each row of scores becomes a row of weights
  for (Index n = 0; n < scores.rows(); ++n) {
    const auto row = scores.row(n);
    block(mask.blocked.row(mask.row_for(n, scores.rows())), row);  // -infinity where the mask is 1
    const Scalar sum = exponentials(row, largest(row));            // exp(-infinity) = 0
    if (sum != 0) {
      scale(row, 1 / sum);  // else nothing is visible: all weights stay 0
    }
  }
  pass.record(name_, "weights [B*H*T, S] = softmax of each row of {scores}, 0 where {mask} is 1", weights, scores,
              mask.blocked);
}

template <std::floating_point Scalar>
void MaskedSoftmax<Scalar>::backward_in_place(const Pass& pass, const Buffer<Scalar>& weights,
                                              Buffer<Scalar>& d_weights) {
  // weight_k = e_k / Z, where e_k = exp(score_k) and Z is the sum of e_k over the visible keys. (Forward subtracts the
  // largest score, which divides e_k and Z by the same number: weight_k is still the same function of the scores.)
  // Let [k = j] be 1 if k = j and 0 otherwise. By the quotient rule, for visible keys k and j,
  //
  //   de_k/dscore_j      = [k = j] e_k        dZ/dscore_j = e_j
  //   dweight_k/dscore_j = ([k = j] e_k Z - e_k e_j) / Z^2 = weight_k ([k = j] - weight_j)
  //
  // so raising one score lowers all other weights of its row. By the chain rule, summed over all weights of the row:
  //
  //   d_score_j = sum over k of d_weight_k weight_k ([k = j] - weight_j)        [k = j] keeps one term of the sum
  //             = weight_j (d_weight_j - sum over k of weight_k d_weight_k)
  //
  // A blocked key has weight 0 whatever its score, so its d_score is 0. The last line agrees, because weight_j = 0.
  // In a row where nothing is visible, this holds for every key.
  Buffer<Scalar>& d_scores = d_weights;
  for (Index n = 0; n < weights.rows(); ++n) {
    const auto w = weights.row(n);
    const auto d = d_weights.row(n);
    clear_where_zero(w, d);  // the value of a blocked key may be NaN, and 0 * NaN is NaN
    const Scalar weighted_sum = dot(w, d);
    for (Index j = 0; j < w.size(); ++j) {
      d[j] = w[j] * (d[j] - weighted_sum);
    }
  }
  pass.record(name_, "d_scores [B*H*T, S] = {weights} * ({d_weights} - sum of weights * d_weights over the row)",
              d_scores, weights, d_weights);
}

template class MaskedSoftmax<float>;
template class MaskedSoftmax<double>;

}  // namespace glassformer
