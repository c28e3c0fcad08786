#pragma once

#include <concepts>

#include "glassformer/layers/masks.hpp"

/// Other common ways to mask, and where each goes wrong. The model uses none of them: MaskedSoftmax
/// (layers/softmax.hpp) leaves blocked keys out of its sum. Their weight is exactly 0, whatever their score, and a
/// query that sees nothing gets zeros.
///
/// The first way adds a large negative number to the blocked scores before an ordinary softmax. It goes wrong for a
/// query that sees nothing, for example in a target padded on the left. With the scores 0.5, 1, -0.25, 2:
///
///   -infinity           NaN NaN NaN NaN          -infinity minus the largest, -infinity, is NaN
///   -1e9 in float       0.25 0.25 0.25 0.25      near 1e9, floats are 64 apart: 2 - 1e9 is -1e9, so the score is lost
///   -1e9 in double      0.13 0.22 0.06 0.59      as if nothing were blocked: all scores change by the same amount
///   -1e9 in half        same as -infinity        the lowest finite number is -65504
///
/// The second way sets the blocked weights to 0 after the softmax and divides the rest by their sum. That softmax
/// includes the exponentials of blocked scores, which may drown out the visible ones. Take the scores 0 and 200 and
/// block the second: the first gets the weight exp(-200), which is 0 in float, and 0 / 0 gives NaN instead of 1.
/// Without the division, the sum of a row reveals what the blocked scores were.
///
/// T queries and S keys, for one head and one sentence.
namespace glassformer {

/// The ordinary softmax of each row: every score counts, and -infinity gives 0. [T, S]
template <std::floating_point Scalar>
Matrix<Scalar> unmasked_softmax(const Matrix<Scalar>& scores);

/// What to add to scores: 0 where visible, `value` where blocked, in the shape of mask.blocked. A padding mask has one
/// row for all queries: use additive_mask(...).replicate(T, 1). (Many implementations multiply the mask by the value.
/// With -infinity, that turns every visible score into NaN, because 0 * infinity is NaN.)
template <class Scalar>
Matrix<Scalar> additive_mask(const Mask& mask, double value);

/// The ordinary softmax of scores [T, S], then 0 where blocked. The rows no longer sum to 1.
/// \pre the mask is for one sentence
template <std::floating_point Scalar>
Matrix<Scalar> mask_after_softmax(const Matrix<Scalar>& scores, const Mask& mask);

/// Divides each row by its sum, so that the result of mask_after_softmax sums to 1 again.
template <std::floating_point Scalar>
Matrix<Scalar> renormalised(const Matrix<Scalar>& weights);

}  // namespace glassformer
