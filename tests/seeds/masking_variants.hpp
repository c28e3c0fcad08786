#pragma once

#include <concepts>

#include "layers/masks.hpp"

/// Other ways to mask that one meets, and where each goes wrong. The model uses none of them: MaskedSoftmax
/// (layers/softmax.hpp) leaves blocked keys out of its sum, so that their weight is 0 exactly, whatever their score,
/// and a query that sees nothing gets zeros.
///
/// Before an ordinary softmax, add a large negative number to the blocked scores. What goes wrong is a query that sees
/// nothing, as of a target padded on the left; with the scores 0.5, 1, -0.25, 2:
///
///   -infinity           NaN NaN NaN NaN          -infinity less the largest, -infinity, is NaN
///   -1e9 in float       0.25 0.25 0.25 0.25      near 1e9, floats are 64 apart: 20 - 1e9 is -1e9, the score is lost
///   -1e9 in double      0.13 0.22 0.06 0.59      as if nothing were blocked: to add the same to all changes nothing
///   -1e9 in half        as -infinity             the lowest finite number is -65504
///
/// Or after the softmax, set the blocked weights to 0 and divide the rest by their sum. The exponentials of blocked
/// scores are in that softmax, and may drown the visible ones: of the scores 0, 200 with the second blocked, the first
/// has the weight exp(-200), which is 0 in float, and 0 / 0 is NaN where 1 is right. Without the division, the sum of
/// a row tells what the blocked scores were.
///
/// T queries and S keys of one head of one sentence.
namespace glassformer {

/// The ordinary softmax of each row: every score counts, -infinity as 0. [T, S]
template <std::floating_point Scalar>
Matrix<Scalar> unmasked_softmax(const Matrix<Scalar>& scores);

/// What to add to scores: 0 where visible, `value` where blocked, in the shape of mask.blocked: of a padding mask one
/// row for all queries, additive_mask(...).replicate(T, 1). (Many multiply the mask by the value; with -infinity that
/// makes NaN of every visible score, for 0 * infinity is NaN.)
template <class Scalar>
Matrix<Scalar> additive_mask(const Mask& mask, double value);

/// The ordinary softmax of scores [T, S], then 0 where blocked. The rows no longer sum to 1.
/// \pre mask is of one sentence
template <std::floating_point Scalar>
Matrix<Scalar> mask_after_softmax(const Matrix<Scalar>& scores, const Mask& mask);

/// Each row divided by its sum, which makes weights of what mask_after_softmax leaves.
template <std::floating_point Scalar>
Matrix<Scalar> renormalised(const Matrix<Scalar>& weights);

}  // namespace glassformer
