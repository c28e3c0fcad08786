#pragma once

#include "glassformer/numerics/buffer.hpp"  // IWYU pragma: export
#include "glassformer/numerics/index.hpp"   // IWYU pragma: export
#include "glassformer/numerics/views.hpp"   // IWYU pragma: export

/// \file
/// Matrices and views of them. All are row-major: the numbers of a row, often one token's, are adjacent in memory.
///
/// Letters in shape comments: B sentences, S source length, T target length, N rows (tokens), M rows of the encoder's
/// output, R running hypotheses, D model width, H heads, F feed-forward width, V vocabulary.
