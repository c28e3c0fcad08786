#pragma once

#include <concepts>
#include <map>
#include <string>
#include <utility>

#include "glassformer/numerics/buffer.hpp"

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

/// The transpose of a matrix W [M, K], as the right factor of many products. A product copies its right factor into the
/// order in which it reads it. This is that copy, made once; W need not exist any longer.
template <std::floating_point Scalar>
class PackedMatrix {
 public:
  explicit PackedMatrix(MatrixView<const Scalar> w);

  /// For gemm.cpp: the strips of the panel that begins at row k and column m.
  const Scalar* panel(Index k, Index m) const { return strips_.data() + offset(k, m); }

 private:
  Index offset(Index k, Index m) const;

  Index rows_, cols_;
  Index strip_columns_;    // of all strips
  Buffer<Scalar> strips_;  // [1, K * strip_columns_]
};

/// Packed copies of weight matrices, for a time in which weights do not change, such as a search. A product makes a
/// copy when it first needs it. Threads may share this.
template <std::floating_point Scalar>
class PackedWeights {
 public:
  const PackedMatrix<Scalar>& of(MatrixView<const Scalar> w);

 private:
  std::map<std::pair<const Scalar*, Index>, PackedMatrix<Scalar>> matrices_;  // by address and number of rows
};

/// A weight matrix, and where packed copies of weights are kept, if they are.
template <std::floating_point Scalar>
struct WeightView : MatrixView<const Scalar> {
  PackedWeights<Scalar>* packed = nullptr;
};

// The same as above, with the same bits; uses the packed copy of W, if there is one.
void multiply_transposed_right(MatrixView<const float> a, WeightView<float> w, RowView<const float> bias,
                               MatrixView<float> c);
void multiply_transposed_right(MatrixView<const double> a, WeightView<double> w, RowView<const double> bias,
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
