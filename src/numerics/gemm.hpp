#pragma once

#include <concepts>
#include <string>

#include "numerics/matrix.hpp"

/// The one door to matrix products. Every product runs on the calling thread alone. Blocks of columns may be handed in.
///
/// Behind the door stands no library, for three reasons. Those at hand (oneDNN, OpenBLAS, Eigen) are slower on the
/// shapes of a small transformer, above all for gradients of weights and inside a head of attention. They choose their
/// kernels by size, so that a sentence's bits would depend on how many others are computed beside it. And they allocate
/// memory.
///
/// Here, each number of C is the sum over k in rising order, each term fused into the sum so far where the processor
/// can do that, begun anew at every 512th term. So the bits of a row of C depend on that row of A and on B, and on
/// nothing else: not on the number of rows, nor on threads, nor on how far a batch is padded.
namespace glassformer {

/// C = product, or C += product.
enum class Result { overwrite, add };

/// C [N, M] = A [N, K] B [K, M]
template <std::floating_point Scalar>
void multiply(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c, Result result);

/// C [N, M] = A [N, K] B^T, B [M, K]
template <std::floating_point Scalar>
void multiply_transposed_right(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c, Result result);
/// C [N, M] = A [N, K] B^T + bias, bias [M] added to every row
template <std::floating_point Scalar>
void multiply_transposed_right(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, const RowVectorView<Scalar>& bias,
                               MatrixRef<Scalar> c);

/// C [N, M] = A^T B, A [K, N], B [K, M]
template <std::floating_point Scalar>
void multiply_transposed_left(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c, Result result);

/// What computes the products, for the log.
std::string gemm_backend();

}  // namespace glassformer
