#pragma once

#include <string>

#include "glassformer/numerics/views.hpp"

/// The only entry point for matrix products. Every product runs on the calling thread. A and B must not overlap C.
///
/// We use no library, for three reasons. The usual ones (oneDNN, OpenBLAS, Eigen) are slower on the shapes of a small
/// transformer, especially for weight gradients and inside an attention head. They choose their kernels by size, so the
/// bits of a sentence's result would depend on how many other sentences are computed with it. And they allocate memory.
///
/// Our kernels sum over increasing k, with fused multiply-adds. Every 512 terms, they start a new partial sum. So the
/// bits of a row of C depend only on that row of A and on B, not on the number of rows or threads, the padding of a
/// batch or the processor. docs/arithmetic.md has the details.
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

// C [N, M] = A [N, K] B [K, M]. Where an element of A is exactly 0, the row of B that it multiplies adds nothing,
// even if it holds infinity or NaN (0 * NaN would be NaN).
void multiply_visible(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);
void multiply_visible(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c);

/// The instructions that the core was compiled for: avx512, avx2, neon, wasm or portable ("reference":
/// a core for tests).
std::string instructions();

}  // namespace glassformer
