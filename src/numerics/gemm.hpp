#pragma once

#include <string>

#include "numerics/matrix.hpp"

/// The one entry point for matrix products. Every product runs on the calling thread. A and B must not overlap with C.
///
/// We use no library, for three reasons. The usual ones (oneDNN, OpenBLAS, Eigen) are slower on the shapes of a small
/// transformer, above all for gradients of weights and inside a head of attention. They choose their kernels by size,
/// so a sentence's bits would depend on how many others are computed beside it. And they allocate memory.
///
/// Here, each number of C is the sum over increasing k, each term fused into the sum so far where the processor can do
/// that, started afresh at every 512th term. So the bits of a row of C depend only on that row of A and on B: not on
/// the number of rows, the threads, or how far a batch is padded.
namespace glassformer {

/// C = product, or C += product.
enum class Result { overwrite, add };

// C [N, M] = A [N, K] B [K, M]
void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c, Result result);
void multiply(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c, Result result);

// C [N, M] = A [N, K] B^T, B [M, K]
void multiply_transposed_right(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                               Result result);
void multiply_transposed_right(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c,
                               Result result);
// C [N, M] = A [N, K] B^T + bias, bias [M] added to every row
void multiply_transposed_right(MatrixView<const float> a, MatrixView<const float> b, RowView<const float> bias,
                               MatrixView<float> c);
void multiply_transposed_right(MatrixView<const double> a, MatrixView<const double> b, RowView<const double> bias,
                               MatrixView<double> c);

// C [N, M] = A^T B, A [K, N], B [K, M]
void multiply_transposed_left(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c, Result result);
void multiply_transposed_left(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c,
                              Result result);

// C [N, M] = A [N, K] B [K, M], where a number of A that is exactly 0 keeps its row of B out, even if that holds
// infinity or NaN (0 * NaN would be NaN).
void multiply_visible(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);
void multiply_visible(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c);

/// What computes the products, for the log.
std::string gemm_backend();

}  // namespace glassformer
