#pragma once

#include "numerics/matrix.hpp"

/// A translation must not depend on which sentences happen to be decoded beside it, not even in the last bit of its
/// score: one bit is enough to turn a tie of two words round.
///
/// A row of a product A W^T needs nothing but that row of A, and W. But in which order its terms are added depends on
/// the kernel that the library picks, and that on the number of rows: Eigen takes rows four at a time and those left
/// over one by one; oneDNN has kernels of its own for fewer than 16. Where the number of rows is a multiple of 16,
/// every row is computed in the same way. So decoding fills up its matrices with rows that nobody reads.
namespace glassformer {

inline constexpr Index kWholeRows = 16;
inline constexpr Index kWholeSentences = 4;  ///< 4 sentences of a length that is a multiple of 4 have whole rows

/// The smallest multiple that is not below n.
constexpr Index round_up(Index n, Index multiple) { return (n + multiple - 1) / multiple * multiple; }

}  // namespace glassformer
