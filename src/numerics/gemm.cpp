#include "glassformer/numerics/gemm.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "glassformer/numerics/buffer.hpp"
#include "glassformer/numerics/parallel.hpp"
#include "glassformer/numerics/vectors.hpp"

// How a product is computed. C is cut into tiles, two vectors wide and with as many rows as the registers can hold. A
// tile stays in registers during the sum over k. Each k takes two multiply-adds per row: one element of A times two
// vectors of B. The loops around the tiles keep A and B in the caches:
//
//   for each block of K                       up to kDepth terms of the sum
//     for each panel of C's columns           copies its columns of B into strips, two vectors wide, which stay in the
//                                             L2 cache; this works for any layout of B
//       for each group of rows                a transposed A whose rows are far apart is copied, too
//         for each row of tiles               its part of A stays in the L1 cache
//           for each strip                    computes one tile

namespace glassformer {
namespace {

constexpr Index kTileRows = kVectorBytes == 64 ? 12 : 6;  // 24 of 32 registers, or 12 of 16
constexpr Index kDepth = 512;                             // terms per block of K
constexpr Index kPanel = 256;                             // columns per panel
constexpr Index kGroup = 96;                              // rows per group; a multiple of kTileRows

/// A or B of a product, or a block of it: a matrix or its transpose. Element (i, j) is data[i * row + j * col]; one of
/// the two strides is 1.
template <class Scalar>
struct Factor {
  const Scalar* data;
  Index row, col;
  Index rows, cols;
  Factor block(Index i, Index j, Index block_rows, Index block_cols) const {
    return {data + i * row + j * col, row, col, block_rows, block_cols};
  }
};

template <class Scalar>
Factor<Scalar> plain(MatrixView<const Scalar> m) {
  return {m.data(), m.stride(), 1, m.rows(), m.cols()};
}
template <class Scalar>
Factor<Scalar> transposed(MatrixView<const Scalar> m) {
  return {m.data(), 1, m.stride(), m.cols(), m.rows()};
}

/// Copies B [K, columns] into consecutive strips, row by row, the fastest order. The rest of the last strip becomes 0:
/// its products are discarded, but leftover denormals would slow them down.
template <Index vectors, class Scalar>
void copy_plain(Factor<Scalar> b, Scalar* strips) {
  constexpr Index kWidth = vectors * kLanes<Scalar>;
  const Index K = b.rows;
  const Index whole = b.cols / kWidth * kWidth;
  const Index rest = b.cols - whole;
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
void copy_transposed(Factor<Scalar> b, Scalar* strips) {
  constexpr Index kSize = kLanes<Scalar>;
  constexpr Index kWidth = vectors * kSize;
  const Index K = b.rows;
  for (Index m = 0; m < (b.cols + kWidth - 1) / kWidth * kWidth; m += kSize) {
    Scalar* const to = strips + m / kWidth * kWidth * K + m % kWidth;
    Index k = 0;
    for (; k + kSize <= K; k += kSize) {
      Vector<Scalar> square[kSize];
#pragma GCC unroll 16
      for (Index i = 0; i < kSize; ++i) {
        square[i] = m + i < b.cols ? load(b.data + k + (m + i) * b.col) : Vector<Scalar>{};
      }
      transpose_square<Scalar>(square);
#pragma GCC unroll 16
      for (Index i = 0; i < kSize; ++i) {
        store(square[i], to + (k + i) * kWidth);
      }
    }
    for (; k < K; ++k) {
      for (Index i = 0; i < kSize; ++i) {
        to[k * kWidth + i] = m + i < b.cols ? b.data[k + (m + i) * b.col] : 0;
      }
    }
  }
}

/// Whether A is transposed, with rows so far apart that each k of a tile reads a new cache line or even a new page.
template <class Scalar>
bool is_scattered(Factor<Scalar> a) {
  return a.row == 1 && a.col * static_cast<Index>(sizeof(Scalar)) >= 1024;
}

/// Copies a transposed A [at most kGroup, K] into compact memory, one row of tiles after the other. For each k, it
/// reads all the rows, which are neighbours in memory.
template <class Scalar>
void copy_group(Factor<Scalar> a, Scalar* copy) {
  const Index whole = a.rows / kTileRows * kTileRows;
  for (Index k = 0; k < a.cols; ++k) {
    const Scalar* const from = a.data + k * a.col;
    Scalar* const to = copy + k * kTileRows;
    for (Index n = 0; n < whole; n += kTileRows) {
      std::memcpy(to + n * a.cols, from + n, kTileRows * sizeof(Scalar));
    }
    std::copy_n(from + whole, a.rows - whole, to + whole * a.cols);
  }
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

/// Adds the addend to a tile's sums and stores them. A tile at the right edge of C may have columns that C has not.
template <bool whole, Index vectors, Index rows, class Scalar>
[[gnu::always_inline]] inline void store_tile(Vector<Scalar> (&sum)[rows][vectors], const Destination<Scalar>& tile) {
  constexpr Index kSize = kLanes<Scalar>;
#pragma GCC unroll 12
  for (Index r = 0; r < rows; ++r) {
    Scalar* const c = tile.c + r * tile.row;
    const Scalar* const addend = tile.addend.from(r, 0).data;
    for (Index v = 0; v < vectors; ++v) {
      const Index columns = whole ? kSize : tile.columns - v * kSize;
      if (addend != nullptr) {
        sum[r][v] += load_first(columns, addend + v * kSize);
      }
      store_first<Scalar>(columns, sum[r][v], c + v * kSize);
    }
  }
}

/// Computes one tile: `rows` rows, `vectors` vectors wide.
template <Index vectors, Index rows, class Scalar>
void multiply_tile(Factor<Scalar> a, const Scalar* strip, const Destination<Scalar>& tile) {
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
#pragma GCC unroll 4
  for (Index k = 0; k < a.cols; ++k) {
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
  if (tile.columns >= kWidth) {
    store_tile<true, vectors, rows, Scalar>(sum, tile);
  } else {
    store_tile<false, vectors, rows, Scalar>(sum, tile);
  }
}

/// Calls multiply_tile with A's number of rows, at most kTileRows, as a template argument.
template <Index vectors, class Scalar, Index rows = kTileRows>
void multiply_rows(Factor<Scalar> a, const Scalar* strip, const Destination<Scalar>& tile) {
  if (a.rows == rows) {
    return multiply_tile<vectors, rows>(a, strip, tile);
  }
  if constexpr (rows > 1) {
    multiply_rows<vectors, Scalar, rows - 1>(a, strip, tile);
  }
}

/// Copies a panel of B into strips.
template <Index vectors, class Scalar>
void copy_panel(Factor<Scalar> b, Scalar* strips) {
  if (b.col == 1) {
    copy_plain<vectors>(b, strips);
  } else {
    copy_transposed<vectors>(b, strips);
  }
}

/// Multiplies a block of A by a panel of B. `strips`: the panel's, if they have been copied before; else null.
template <Index vectors, class Scalar>
void multiply_panel(Factor<Scalar> a, Factor<Scalar> b, const Scalar* strips, const Destination<Scalar>& panel) {
  constexpr Index kWidth = vectors * kLanes<Scalar>;
  static thread_local Buffer<Scalar> copy_of_b(1, kDepth * kPanel);
  static thread_local Buffer<Scalar> copy_of_a(1, kDepth * kGroup);
  if (strips == nullptr) {
    copy_panel<vectors>(b, copy_of_b.data());
    strips = copy_of_b.data();
  }
  for (Index first = 0; first < a.rows; first += kGroup) {
    const Factor<Scalar> group = a.block(first, 0, std::min(kGroup, a.rows - first), a.cols);
    if (is_scattered(a)) {
      copy_group(group, copy_of_a.data());
    }
    for (Index n = 0; n < group.rows; n += kTileRows) {
      Factor<Scalar> rows = group.block(n, 0, std::min(kTileRows, group.rows - n), group.cols);
      if (is_scattered(a)) {
        rows = {copy_of_a.data() + n * a.cols, 1, kTileRows, rows.rows, rows.cols};
      }
      for (Index m = 0; m < b.cols; m += kWidth) {
        multiply_rows<vectors, Scalar>(rows, strips + m * b.rows, panel.from(first + n, m, kWidth));
      }
    }
  }
}

/// C [N, M] = A [N, K] B [K, M], plus the addend if there is one.
template <class Scalar>
void product(const Factor<Scalar>& a, const Factor<Scalar>& b, MatrixView<Scalar> c, Addend<Scalar> addend,
             const PackedMatrix<Scalar>* packed = nullptr) {
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
      const Factor<Scalar> part_of_a = a.block(0, k, a.rows, depth);
      const Factor<Scalar> part_of_b = b.block(k, m, depth, panel.columns);
      const Scalar* const strips = packed != nullptr ? packed->panel(k, m) : nullptr;
      if (panel.columns <= kLanes<Scalar>) {
        multiply_panel<1>(part_of_a, part_of_b, strips, panel);
      } else {
        multiply_panel<2>(part_of_a, part_of_b, strips, panel);
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

/// The columns of a panel's strips: at least the panel's.
template <class Scalar>
Index strip_columns(Index columns) {
  const Index width = columns <= kLanes<Scalar> ? kLanes<Scalar> : 2 * kLanes<Scalar>;
  return (columns + width - 1) / width * width;
}

}  // namespace

template <std::floating_point Scalar>
PackedMatrix<Scalar>::PackedMatrix(MatrixView<const Scalar> w)
    : rows_(w.cols()),
      cols_(w.rows()),
      strip_columns_(cols_ / kPanel * kPanel + strip_columns<Scalar>(cols_ % kPanel)) {
  strips_.resize(1, rows_ * strip_columns_);
  const Factor<Scalar> b = transposed(w);
  for (Index k = 0; k < rows_; k += kDepth) {
    for (Index m = 0; m < cols_; m += kPanel) {
      const Factor<Scalar> block = b.block(k, m, std::min(kDepth, rows_ - k), std::min(kPanel, cols_ - m));
      Scalar* const strips = strips_.data() + offset(k, m);
      if (block.cols <= kLanes<Scalar>) {
        copy_panel<1>(block, strips);
      } else {
        copy_panel<2>(block, strips);
      }
    }
  }
}

template <std::floating_point Scalar>
Index PackedMatrix<Scalar>::offset(Index k, Index m) const {
  return k * strip_columns_ + m * std::min(kDepth, rows_ - k);
}

template <std::floating_point Scalar>
const PackedMatrix<Scalar>& PackedWeights<Scalar>::of(MatrixView<const Scalar> w) {
  const PackedMatrix<Scalar>* packed = nullptr;
  run_alone([&] { packed = &matrices_.try_emplace({w.data(), w.rows()}, w).first->second; });
  return *packed;
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;
template class PackedWeights<float>;
template class PackedWeights<double>;

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

void multiply_transposed_right(MatrixView<const float> a, WeightView<float> w, RowView<const float> bias,
                               MatrixView<float> c) {
  product(plain(a), transposed<float>(w), c, addend_of(bias, c), w.packed != nullptr ? &w.packed->of(w) : nullptr);
}
void multiply_transposed_right(MatrixView<const double> a, WeightView<double> w, RowView<const double> bias,
                               MatrixView<double> c) {
  product(plain(a), transposed<double>(w), c, addend_of(bias, c), w.packed != nullptr ? &w.packed->of(w) : nullptr);
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
