#pragma once

#include "numerics/gemm.hpp"

/// A translation must not depend on which sentences happen to be decoded beside it, not even in the last bit of its
/// score: one bit is enough to turn a tie of two words round.
///
/// A row of a product A W^T needs nothing but that row of A, and W. But in which order its terms are added depends on
/// the kernel that the library picks, and that on the number of rows. Where there are whole rows, a multiple of
/// alike_rows(), every row is computed in the same way. So decoding fills up its matrices with rows that nobody reads.
///
/// Inside attention another thing matters: in which order Eigen adds up a row of scores (and which of them it takes
/// through its vectorised exp) depends on where in memory the row begins, counted from the start of a vector register.
/// In the encoder a head has S scores for each of S tokens. As S is a multiple of 4, that makes a multiple of 16
/// floats: a sentence's scores always begin where a register of 64 bytes does, whatever number the sentence has in its
/// batch. In the decoder, each sentence's scores begin where a buffer does.
namespace glassformer {

inline constexpr Index kWholeLength = 4;  ///< sentences are padded to a multiple of this

/// The smallest multiple that is not below n.
constexpr Index round_up(Index n, Index multiple) { return (n + multiple - 1) / multiple * multiple; }

inline Index whole_rows(Index rows) { return round_up(rows, alike_rows()); }
inline Index whole_length(Index tokens) { return round_up(tokens, kWholeLength); }
/// As many sentences as have whole rows together, each of a whole length.
inline Index whole_sentences(Index sentences) { return round_up(sentences, alike_rows() / kWholeLength); }

}  // namespace glassformer
