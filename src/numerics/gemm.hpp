#pragma once

#include <concepts>
#include <string>

#include "numerics/matrix.hpp"

/// The one door to matrix products. Behind it stands oneDNN (float, where CMake found it) or Eigen. Every product runs
/// on the calling thread alone, so that its bits do not depend on the number of threads. Blocks of columns may be
/// handed in; nothing is copied.
///
/// The products inside one head of attention are small. They go through the door's small wing, which is our own
/// (small_gemm.cpp): a library takes longer to begin than such a product takes. Every sum runs over K from the first
/// term to the last, each fused into the sum so far, so its bits do not depend on how far the batch is padded.
namespace glassformer {

enum class Result { overwrite, add };  ///< C = product, or C += product

/// C [N, M] = A [N, K] B [K, M]
template <std::floating_point Scalar>
void multiply(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c, Result result);
template <std::floating_point Scalar>
void multiply_small(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c);

/// C [N, M] = A [N, K] B^T, B [M, K]
template <std::floating_point Scalar>
void multiply_transposed_right(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c, Result result);
template <std::floating_point Scalar>
void multiply_transposed_right_small(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c);

/// C [N, M] = A^T B, A [K, N], B [K, M]
template <std::floating_point Scalar>
void multiply_transposed_left(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c, Result result);
template <std::floating_point Scalar>
void multiply_transposed_left_small(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c);

/// Where the number of rows N is a multiple of this, C = A B^T computes all its rows alike: the bits of a row depend on
/// that row of A and on B, and on neither N nor the row's place. (In which order the terms of a sum are added depends
/// on the kernel. Eigen takes rows four at a time and those left over one by one; oneDNN's kernels take 8 or 16 of them
/// under AVX-512, and 4 or 6 under the instruction sets before.) A multiple of 4, always.
Index alike_rows();

/// What stands behind the door, for the log: "oneDNN" or "Eigen", with the version.
std::string gemm_backend();

}  // namespace glassformer
