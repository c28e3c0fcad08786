#include "numerics/gemm.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "numerics/buffer.hpp"
#include "numerics/vectors.hpp"

// How a product is computed. C is cut into tiles, two vectors wide and with as many rows as the registers can hold. A
// tile stays in registers during the sum over k. Each k takes two multiply-adds per row: one element of A times two
// vectors of B. The loops around the tiles keep A and B in the caches:
//
//   for each block of K                       up to kDepth terms of the sum
//     for each panel of C's columns           copies its columns of B into strips, two vectors wide, which stay in the
//                                             L2 cache; this works for any layout of B
//       for each row of tiles                 its part of A stays in the L1 cache; a transposed A whose rows are far
//                                             apart is copied first
//         for each strip                      computes one tile
//
// Within a block of K, an element of C is summed over increasing k, with one fused multiply-add per term. Then the sum
// of the earlier blocks is added. All rows are computed this way, for any layout and any number of rows or columns.

namespace glassformer {
namespace {

constexpr Index kTileRows = kVectorBytes == 64 ? 12 : 6;  // 24 of 32 registers, or 12 of 16
constexpr Index kDepth = 512;                             // terms per block of K
constexpr Index kPanel = 256;                             // columns per panel

/// A matrix or its transpose. Element (i, j) is data[i * row + j * col]; one of the two strides is 1.
template <class Scalar>
struct Strided {
  const Scalar* data;
  Index row, col;
  Strided from(Index i, Index j) const { return {data + i * row + j * col, row, col}; }
};

/// A or B of a product: a matrix or its transpose, with its shape.
template <class Scalar>
struct Factor {
  Strided<Scalar> elements;
  Index rows, cols;
};

template <class Scalar>
Factor<Scalar> plain(MatrixView<const Scalar> m) {
  return {{m.data(), m.stride(), 1}, m.rows(), m.cols()};
}
template <class Scalar>
Factor<Scalar> transposed(MatrixView<const Scalar> m) {
  return {{m.data(), 1, m.stride()}, m.cols(), m.rows()};
}

/// Copies the first `columns` columns of B's first K rows into consecutive strips, row by row, the fastest order. The
/// rest of the last strip becomes 0: its products are discarded, but leftover denormals would slow them down.
template <Index vectors, class Scalar>
void copy_plain(Strided<Scalar> b, Index K, Index columns, Scalar* strips) {
  constexpr Index kWidth = vectors * kLanes<Scalar>;
  const Index whole = columns / kWidth * kWidth;
  const Index rest = columns - whole;
  if (rest > 0) {
    std::fill_n(strips + whole * K, kWidth * K, Scalar{0});
  }
  for (Index k = 0; k < K; ++k) {
    const Scalar* const row = b.data + k * b.row;
    Scalar* const to = strips + k * kWidth;
    for (Index m = 0; m < whole; m += kWidth) {
      std::memcpy(to + m * K, row + m, kWidth * sizeof(Scalar));
    }
    if (rest > 0) {
      std::copy_n(row + whole, rest, to + whole * K);
    }
  }
}

/// The same for a transposed B, whose columns are rows in memory.
template <Index vectors, class Scalar>
void copy_transposed(Strided<Scalar> b, Index K, Index columns, Scalar* strips) {
  constexpr Index kSize = kLanes<Scalar>;
  constexpr Index kWidth = vectors * kSize;
  for (Index m = 0; m < (columns + kWidth - 1) / kWidth * kWidth; m += kSize) {
    Scalar* const to = strips + m / kWidth * kWidth * K + m % kWidth;
    Index k = 0;
    for (; k + kSize <= K; k += kSize) {
      Vector<Scalar> square[kSize];
#pragma GCC unroll 16
      for (Index i = 0; i < kSize; ++i) {
        square[i] = m + i < columns ? load(b.data + k + (m + i) * b.col) : Vector<Scalar>{};
      }
      transpose_square<Scalar>(square);
#pragma GCC unroll 16
      for (Index i = 0; i < kSize; ++i) {
        store(square[i], to + (k + i) * kWidth);
      }
    }
    for (; k < K; ++k) {
      for (Index i = 0; i < kSize; ++i) {
        to[k * kWidth + i] = m + i < columns ? b.data[k + (m + i) * b.col] : 0;
      }
    }
  }
}

/// Whether A is transposed, with rows so far apart that each k of a tile reads a new cache line or even a new page.
template <class Scalar>
bool is_scattered(Strided<Scalar> a) {
  return a.row == 1 && a.col * static_cast<Index>(sizeof(Scalar)) >= 1024;
}

/// Copies the first K columns of `rows` rows (at most kTileRows) of a transposed A into one compact block.
template <class Scalar>
Strided<Scalar> copy_rows(Strided<Scalar> a, Index K, Index rows, Scalar* copy) {
  for (Index k = 0; k < K; ++k) {
    if (rows == kTileRows) {
      std::memcpy(copy + k * kTileRows, a.data + k * a.col, kTileRows * sizeof(Scalar));
    } else {
      std::copy_n(a.data + k * a.col, rows, copy + k * kTileRows);
    }
  }
  return {copy, 1, kTileRows};
}

/// What is added to the product: a matrix, one row added to every row (row stride 0), or nothing (null).
template <class Scalar>
struct Addend {
  const Scalar* data = nullptr;
  Index row = 0;  // row stride
  Addend from(Index n, Index m) const { return data == nullptr ? Addend{} : Addend{data + n * row + m, row}; }
};

/// Where a product is stored: C, or a panel or tile of it.
template <class Scalar>
struct Destination {
  Scalar* c;
  Index row;  // row stride of C
  Addend<Scalar> addend;
  Index columns;
  Destination from(Index n, Index m, Index most_columns) const {
    return {c + n * row + m, row, addend.from(n, m), std::min(most_columns, columns - m)};
  }
};

/// Computes one tile: `rows` rows, `vectors` vectors wide.
template <Index vectors, Index rows, class Scalar>
void multiply_tile(Strided<Scalar> a, const Scalar* strip, Index K, const Destination<Scalar>& tile) {
  constexpr Index kSize = kLanes<Scalar>;
  constexpr Index kWidth = vectors * kSize;
  // Prefetch the tile's part of C, so that it is in the cache when the sum is ready.
#pragma GCC unroll 12
  for (Index r = 0; r < rows; ++r) {
    for (Index v = 0; v < vectors; ++v) {
      __builtin_prefetch(tile.c + r * tile.row + v * kSize, 1);
    }
  }
  Vector<Scalar> sum[rows][vectors] = {};
  for (Index k = 0; k < K; ++k) {
    Vector<Scalar> b[vectors];
    for (Index v = 0; v < vectors; ++v) {
      b[v] = load(strip + k * kWidth + v * kSize);
    }
#pragma GCC unroll 12
    for (Index r = 0; r < rows; ++r) {
      const Vector<Scalar> x = a.data[r * a.row + k * a.col] - Vector<Scalar>{};  // in every element (+ would lose -0)
      for (Index v = 0; v < vectors; ++v) {
        sum[r][v] = multiply_add<Scalar>(x, b[v], sum[r][v]);
      }
    }
  }
#pragma GCC unroll 12
  for (Index r = 0; r < rows; ++r) {
    Scalar* const c = tile.c + r * tile.row;
    const Scalar* const addend = tile.addend.from(r, 0).data;
    for (Index v = 0; v < vectors; ++v) {
      const Index columns = tile.columns - v * kSize;  // at the right edge, fewer than a vector has
      if (addend != nullptr) {
        sum[r][v] += load_first(columns, addend + v * kSize);
      }
      store_first<Scalar>(columns, sum[r][v], c + v * kSize);
    }
  }
}

/// The same for the first `count` rows, but at most kTileRows.
template <Index vectors, class Scalar, Index rows = kTileRows>
void multiply_rows(Index count, Strided<Scalar> a, const Scalar* strip, Index K, const Destination<Scalar>& tile) {
  if (count >= rows) {
    return multiply_tile<vectors, rows>(a, strip, K, tile);
  }
  if constexpr (rows > 1) {
    multiply_rows<vectors, Scalar, rows - 1>(count, a, strip, K, tile);
  }
}

template <Index vectors, class Scalar>
void multiply_panel(Strided<Scalar> a, Strided<Scalar> b, Index K, Index rows, const Destination<Scalar>& panel) {
  constexpr Index kWidth = vectors * kLanes<Scalar>;
  static thread_local Buffer<Scalar> strips(1, kDepth * kPanel);
  static thread_local Buffer<Scalar> rows_of_a(1, kDepth * kTileRows);
  if (b.col == 1) {
    copy_plain<vectors>(b, K, panel.columns, strips.data());
  } else {
    copy_transposed<vectors>(b, K, panel.columns, strips.data());
  }
  for (Index n = 0; n < rows; n += kTileRows) {
    Strided<Scalar> block = a.from(n, 0);
    if (is_scattered(a)) {
      block = copy_rows(block, K, std::min(kTileRows, rows - n), rows_of_a.data());
    }
    for (Index m = 0; m < panel.columns; m += kWidth) {
      multiply_rows<vectors, Scalar>(rows - n, block, strips.data() + m * K, K, panel.from(n, m, kWidth));
    }
  }
}

/// C [N, M] = A [N, K] B [K, M], plus the addend if there is one.
template <class Scalar>
void product(const Factor<Scalar>& a, const Factor<Scalar>& b, MatrixView<Scalar> c, Addend<Scalar> addend) {
  assert(a.cols == b.rows && c.rows() == a.rows && c.cols() == b.cols);
  const Index K = a.cols;
  assert(K > 0 || addend.data == nullptr || addend.data == c.data());  // an empty sum does not store a bias
  if (K == 0 && addend.data == nullptr) {
    c.eigen().setZero();  // an empty sum
  }
  for (Index k = 0; k < K; k += kDepth) {
    const Index depth = std::min(kDepth, K - k);
    if (k > 0) {
      addend = {c.data(), c.stride()};  // the sum of the earlier blocks
    }
    const Destination<Scalar> whole{c.data(), c.stride(), addend, c.cols()};
    for (Index m = 0; m < c.cols(); m += kPanel) {
      const Destination<Scalar> panel = whole.from(0, m, kPanel);
      if (panel.columns <= kLanes<Scalar>) {
        multiply_panel<1>(a.elements.from(0, k), b.elements.from(k, m), depth, c.rows(), panel);
      } else {
        multiply_panel<2>(a.elements.from(0, k), b.elements.from(k, m), depth, c.rows(), panel);
      }
    }
  }
}

/// What C held before, if it is kept.
template <class Scalar>
Addend<Scalar> addend_of(Result result, MatrixView<Scalar> c) {
  return result == Result::add ? Addend<Scalar>{c.data(), c.stride()} : Addend<Scalar>{};
}

/// The bias, for every row of C.
template <class Scalar>
Addend<Scalar> addend_of(RowView<const Scalar> bias, [[maybe_unused]] MatrixView<Scalar> c) {
  assert(bias.size() == c.cols());
  return {bias.data(), 0};
}

/// a [T, S], b [S, d], c [T, d]. The product is computed twice only if it is not finite, which is rare.
template <class Scalar>
void multiply_skipping_zeros(MatrixView<const Scalar> a, MatrixView<const Scalar> b, MatrixView<Scalar> c) {
  multiply(a, b, c, Result::overwrite);
  // x - x is 0 unless x is infinite or NaN. If b holds either, so does c, because even 0 * infinity is NaN.
  if ((c.eigen().array() - c.eigen().array()).sum() == 0) {
    return;
  }
  const Matrix<Scalar> finite = b.eigen().array().isFinite().select(b.eigen(), Scalar{0});
  multiply(a, {finite.data(), finite.rows(), finite.cols()}, c, Result::overwrite);
  for (Index j = 0; j < b.rows(); ++j) {
    if (b.row(j).eigen().allFinite()) {
      continue;
    }
    for (Index i = 0; i < a.rows(); ++i) {
      if (a(i, j) != 0) {
        c.row(i).eigen() += a(i, j) * (b.row(j).eigen() - finite.row(j));
      }
    }
  }
}

}  // namespace

void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c, Result result) {
  product(plain(a), plain(b), c, addend_of(result, c));
}
void multiply(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c, Result result) {
  product(plain(a), plain(b), c, addend_of(result, c));
}

void multiply_transposed_right(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                               Result result) {
  product(plain(a), transposed(b), c, addend_of(result, c));
}
void multiply_transposed_right(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c,
                               Result result) {
  product(plain(a), transposed(b), c, addend_of(result, c));
}

void multiply_transposed_right(MatrixView<const float> a, MatrixView<const float> b, RowView<const float> bias,
                               MatrixView<float> c) {
  product(plain(a), transposed(b), c, addend_of(bias, c));
}
void multiply_transposed_right(MatrixView<const double> a, MatrixView<const double> b, RowView<const double> bias,
                               MatrixView<double> c) {
  product(plain(a), transposed(b), c, addend_of(bias, c));
}

void multiply_transposed_left(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                              Result result) {
  product(transposed(a), plain(b), c, addend_of(result, c));
}
void multiply_transposed_left(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c,
                              Result result) {
  product(transposed(a), plain(b), c, addend_of(result, c));
}

void multiply_visible(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  multiply_skipping_zeros(a, b, c);
}
void multiply_visible(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c) {
  multiply_skipping_zeros(a, b, c);
}

std::string instructions() { return kInstructions; }

}  // namespace glassformer
