#pragma once

#include <Eigen/Core>
#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>

#include "glassformer/numerics/index.hpp"

/// Views of matrices and of their rows. A view owns no memory, and a copy of it refers to the same numbers.
namespace glassformer {

static_assert(std::is_same_v<Index, Eigen::Index>, "expected Eigen's default EIGEN_DEFAULT_DENSE_INDEX_TYPE");

/// Eigen's own matrices, for code that does not run in every update.
template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class Scalar>
using RowVector = Eigen::Matrix<Scalar, 1, Eigen::Dynamic, Eigen::RowMajor>;  ///< one row, as an Eigen type

/// `Type`, or `const Type` if Scalar is const.
template <class Type, class Scalar>
using ConstLike = std::conditional_t<std::is_const_v<Scalar>, const Type, Type>;

/// One row of a matrix, contiguous in memory.
template <class Scalar>
class RowView {
 public:
  RowView(Scalar* data, Index size) : data_(data), size_(size) {}
  operator RowView<const Scalar>() const { return {data_, size_}; }

  Scalar& operator[](Index j) const {
    assert(0 <= j && j < size_);
    return data_[j];
  }
  Scalar* data() const { return data_; }
  Index size() const { return size_; }
  Scalar* begin() const { return data_; }
  Scalar* end() const { return data_ + size_; }
  operator std::span<Scalar>() const { return {data_, static_cast<std::size_t>(size_)}; }
  auto eigen() const { return Eigen::Map<ConstLike<RowVector<std::remove_const_t<Scalar>>, Scalar>>(data_, size_); }

 private:
  Scalar* data_;
  Index size_;
};

/// A view of a matrix or of a block of one. Each row begins `stride` numbers after the previous one.
template <class Scalar>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(Scalar* data, Index rows, Index cols, Index stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  MatrixView(Scalar* data, Index rows, Index cols) : MatrixView(data, rows, cols, cols) {}
  operator MatrixView<const Scalar>() const { return {data_, rows_, cols_, stride_}; }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index stride() const { return stride_; }
  Scalar* data() const { return data_; }
  Scalar& operator()(Index i, Index j) const { return row(i)[j]; }
  RowView<Scalar> row(Index i) const { return {block(i, 0, 1, cols_).data(), cols_}; }
  MatrixView block(Index row, Index col, Index rows, Index cols) const {
    assert(0 <= row && row + rows <= rows_ && 0 <= col && col + cols <= cols_);
    return {data_ + row * stride_ + col, rows, cols, stride_};
  }
  MatrixView middle_rows(Index first, Index count) const { return block(first, 0, count, cols_); }
  MatrixView middle_cols(Index first, Index count) const { return block(0, first, rows_, count); }
  auto eigen() const {
    return Eigen::Map<ConstLike<Matrix<std::remove_const_t<Scalar>>, Scalar>, Eigen::Unaligned, Eigen::OuterStride<>>(
        data_, rows_, cols_, Eigen::OuterStride<>(stride_));
  }

 private:
  Scalar* data_ = nullptr;
  Index rows_ = 0, cols_ = 0, stride_ = 0;
};

}  // namespace glassformer
