#include <algorithm>
#include <cassert>
#include <cstring>

#include "numerics/gemm.hpp"

// The small wing: the products inside one head. Each is C [N, M] = A B with A's numbers taken one by one, at any
// distance from each other (so A may be a transposed matrix), and B's in vectors, from a copy whose rows have room for
// whole vectors (so B may be one, too). Strips of two vectors of C's columns, and in them up to four rows, stay in
// registers while the sum over K runs.

namespace glassformer {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kVectorBytes = 64;
#elif defined(__AVX__)
constexpr std::size_t kVectorBytes = 32;
#else
constexpr std::size_t kVectorBytes = 16;
#endif
constexpr Index kTileRows = 4;

template <class Scalar>
struct Small {
  using Vector [[gnu::vector_size(kVectorBytes)]] = Scalar;
  static constexpr Index kLanes = kVectorBytes / sizeof(Scalar);
  static constexpr Index kStrip = 2 * kLanes;

  /// A(n, k) = data[n * row + k * col]
  struct Left {
    const Scalar* data;
    Index row, col;
  };

  /// Columns first .. first + kStrip - 1 of B, or of B^T, row by row; beyond the last column zeros.
  template <bool transposed>
  static void copy_strip(ConstMatrixRef<Scalar> b, Index first, Scalar* strip) {
    const Index K = transposed ? b.cols() : b.rows(), M = transposed ? b.rows() : b.cols();
    const Index columns = std::min(kStrip, M - first);
    if (columns < kStrip) std::fill(strip, strip + K * kStrip, Scalar{0});
    if constexpr (transposed) {
      for (Index m = 0; m < columns; ++m) {
        const Scalar* const row = b.row(first + m).data();
        for (Index k = 0; k < K; ++k) strip[k * kStrip + m] = row[k];
      }
    } else {
      for (Index k = 0; k < K; ++k) {
        std::memcpy(strip + k * kStrip, b.row(k).data() + first, static_cast<std::size_t>(columns) * sizeof(Scalar));
      }
    }
  }

  /// `rows` rows of a strip of C.
  template <Index rows>
  static void tile(Left a, const Scalar* strip, Index K, Scalar* c, Index c_row, Index columns) {
    Vector sum[rows][2] = {};
    for (Index k = 0; k < K; ++k) {
      Vector b[2];
      std::memcpy(b, strip + k * kStrip, sizeof b);
      for (Index r = 0; r < rows; ++r) {
        const Scalar x = a.data[r * a.row + k * a.col];
        sum[r][0] += x * b[0];
        sum[r][1] += x * b[1];
      }
    }
    for (Index r = 0; r < rows; ++r) {
      std::memcpy(c + r * c_row, sum[r], static_cast<std::size_t>(columns) * sizeof(Scalar));
    }
  }

  template <bool transposed>
  static void product(Left a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c) {
    static thread_local Buffer<Scalar> strip;
    const Index K = transposed ? b.cols() : b.rows();
    strip.resize(K, kStrip);
    for (Index first = 0; first < c.cols(); first += kStrip) {
      copy_strip<transposed>(b, first, strip.data());
      const Index columns = std::min(kStrip, c.cols() - first);
      Index n = 0;
      const auto rows_at = [&](Index row) { return Left{a.data + row * a.row, a.row, a.col}; };
      const auto c_at = [&](Index row) { return c.row(row).data() + first; };
      for (; n + kTileRows <= c.rows(); n += kTileRows) {
        tile<kTileRows>(rows_at(n), strip.data(), K, c_at(n), c.outerStride(), columns);
      }
      for (; n < c.rows(); ++n) tile<1>(rows_at(n), strip.data(), K, c_at(n), c.outerStride(), columns);
    }
  }
};

}  // namespace

template <std::floating_point Scalar>
void multiply_small(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c) {
  assert(a.cols() == b.rows() && c.rows() == a.rows() && c.cols() == b.cols());
  Small<Scalar>::template product<false>({a.data(), a.outerStride(), 1}, b, c);
}

template <std::floating_point Scalar>
void multiply_transposed_right_small(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c) {
  assert(a.cols() == b.cols() && c.rows() == a.rows() && c.cols() == b.rows());
  Small<Scalar>::template product<true>({a.data(), a.outerStride(), 1}, b, c);
}

template <std::floating_point Scalar>
void multiply_transposed_left_small(ConstMatrixRef<Scalar> a, ConstMatrixRef<Scalar> b, MatrixRef<Scalar> c) {
  assert(a.rows() == b.rows() && c.rows() == a.cols() && c.cols() == b.cols());
  Small<Scalar>::template product<false>({a.data(), 1, a.outerStride()}, b, c);
}

#define GLASSFORMER_INSTANTIATE(Scalar)                                                                       \
  template void multiply_small<Scalar>(ConstMatrixRef<Scalar>, ConstMatrixRef<Scalar>, MatrixRef<Scalar>);    \
  template void multiply_transposed_right_small<Scalar>(ConstMatrixRef<Scalar>, ConstMatrixRef<Scalar>,       \
                                                        MatrixRef<Scalar>);                                   \
  template void multiply_transposed_left_small<Scalar>(ConstMatrixRef<Scalar>, ConstMatrixRef<Scalar>,        \
                                                       MatrixRef<Scalar>);
GLASSFORMER_INSTANTIATE(float)
GLASSFORMER_INSTANTIATE(double)
#undef GLASSFORMER_INSTANTIATE

}  // namespace glassformer
