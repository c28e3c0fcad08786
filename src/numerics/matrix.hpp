#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

/// Matrices and views of them. All are row-major: the numbers of a row, often one token's, are adjacent in memory.
///
/// Letters in shape comments: B sentences, S source length, T target length, N rows (tokens), D model width,
/// H heads, F feed-forward width, V vocabulary.
namespace glassformer {

using Index = Eigen::Index;  ///< an index or a count, of rows, columns or anything else
using Id = std::int32_t;     ///< a token's index in its vocabulary

/// If not null, this function is called for each new block of 2 MiB or more before the block is used. A program can ask
/// for huge pages here. The block begins at a multiple of 2 MiB.
inline void (*prepare_large_memory)(void* memory, std::size_t bytes) = nullptr;

/// Allocates at least `bytes` bytes, aligned to a cache line. Release them with std::free. Throws std::bad_alloc.
void* allocate_matrix_memory(std::size_t bytes);

/// Eigen's own matrices, for code that does not run in every update.
template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class Scalar>
using RowVector = Eigen::Matrix<Scalar, 1, Eigen::Dynamic, Eigen::RowMajor>;  ///< one row, as an Eigen type

/// One row of a matrix, contiguous in memory. A view owns no memory, and a copy of it refers to the same numbers.
template <class Scalar>
class RowView {
 public:
  RowView(Scalar* data, Index size) : data_(data), size_(size) {}
  operator RowView<const Scalar>() const { return {data_, size_}; }

  Scalar& operator[](Index j) const { return data_[j]; }
  Scalar* data() const { return data_; }
  Index size() const { return size_; }
  Scalar* begin() const { return data_; }
  Scalar* end() const { return data_ + size_; }
  operator std::span<Scalar>() const { return {data_, static_cast<std::size_t>(size_)}; }
  auto eigen() const { return Eigen::Map<Like<RowVector<std::remove_const_t<Scalar>>>>(data_, size_); }

 private:
  template <class Type>
  using Like = std::conditional_t<std::is_const_v<Scalar>, const Type, Type>;
  Scalar* data_;
  Index size_;
};

/// A view of a matrix or of a block of one. Each row begins `stride` numbers after the previous one.
template <class Scalar>
class MatrixView {
 public:
  MatrixView(Scalar* data, Index rows, Index cols, Index stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  MatrixView(Scalar* data, Index rows, Index cols) : MatrixView(data, rows, cols, cols) {}
  operator MatrixView<const Scalar>() const { return {data_, rows_, cols_, stride_}; }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index stride() const { return stride_; }
  Scalar* data() const { return data_; }
  Scalar& operator()(Index i, Index j) const { return data_[i * stride_ + j]; }
  RowView<Scalar> row(Index i) const { return {data_ + i * stride_, cols_}; }
  MatrixView block(Index row, Index col, Index rows, Index cols) const {
    assert(0 <= row && row + rows <= rows_ && 0 <= col && col + cols <= cols_);
    return {data_ + row * stride_ + col, rows, cols, stride_};
  }
  MatrixView middle_rows(Index first, Index count) const { return block(first, 0, count, cols_); }
  MatrixView middle_cols(Index first, Index count) const { return block(0, first, rows_, count); }
  auto eigen() const {
    return Eigen::Map<Like<Matrix<std::remove_const_t<Scalar>>>, Eigen::Unaligned, Eigen::OuterStride<>>(
        data_, rows_, cols_, Eigen::OuterStride<>(stride_));
  }

 private:
  template <class Type>
  using Like = std::conditional_t<std::is_const_v<Scalar>, const Type, Type>;
  Scalar* data_ = nullptr;
  Index rows_ = 0, cols_ = 0, stride_ = 0;
};

/// A matrix whose memory only grows, so training soon allocates nothing more. resize() leaves the contents undefined.
///
/// The stride may exceed the width. Rows that begin at multiples of 2 KiB would compete for the same few cache sets, so
/// a cache line is left free between such rows.
template <class Scalar>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Index rows, Index cols) { resize(rows, cols); }
  /// Buffer<Id>{{5, 6, 2}, {7, 2, 0}}
  Buffer(std::initializer_list<std::initializer_list<Scalar>> rows) {
    resize(static_cast<Index>(rows.size()), rows.size() == 0 ? 0 : static_cast<Index>(rows.begin()->size()));
    Index i = 0;
    for (const auto& row : rows) {
      std::copy(row.begin(), row.end(), this->row(i++).data());
    }
  }
  Buffer(const Buffer& other) { *this = other; }
  Buffer& operator=(const Buffer& other) {
    if (this == &other) {
      return *this;
    }
    resize_like(other);
    for (Index i = 0; i < rows_; ++i) {
      std::copy_n(other.row(i).data(), cols_, row(i).data());
    }
    return *this;
  }
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(capacity_, other.capacity_);
    std::swap(rows_, other.rows_);
    std::swap(cols_, other.cols_);
    std::swap(stride_, other.stride_);
    return *this;
  }

  void resize(Index rows, Index cols) {
    const Index stride = rows > 1 && cols > 0 && cols % (2048 / kSize) == 0 ? cols + 64 / kSize : cols;
    if (rows * stride > capacity_) {
      rows_ = cols_ = stride_ = capacity_ = 0;
      memory_.reset();  // first, so that the old and the new memory need not exist at the same time
      memory_.reset(static_cast<Scalar*>(allocate_matrix_memory(static_cast<std::size_t>(rows * stride * kSize))));
      capacity_ = rows * stride;
    }
    rows_ = rows;
    cols_ = cols;
    stride_ = stride;
  }
  void resize_like(const auto& other) { resize(other.rows(), other.cols()); }
  void fill(Scalar value) {
    for (Index i = 0; i < rows_; ++i) {
      std::fill_n(row(i).data(), cols_, value);
    }
  }

  MatrixView<Scalar> view() { return {memory_.get(), rows_, cols_, stride_}; }
  MatrixView<const Scalar> view() const { return {memory_.get(), rows_, cols_, stride_}; }
  operator MatrixView<Scalar>() { return view(); }
  operator MatrixView<const Scalar>() const { return view(); }

  // These work as in MatrixView.
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index size() const { return rows_ * cols_; }
  Scalar* data() { return memory_.get(); }
  const Scalar* data() const { return memory_.get(); }
  Scalar& operator()(Index i, Index j) { return view()(i, j); }
  const Scalar& operator()(Index i, Index j) const { return view()(i, j); }
  RowView<Scalar> row(Index i) { return view().row(i); }
  RowView<const Scalar> row(Index i) const { return view().row(i); }
  auto eigen() { return view().eigen(); }
  auto eigen() const { return view().eigen(); }

 private:
  static constexpr auto kSize = static_cast<Index>(sizeof(Scalar));
  struct Free {
    void operator()(Scalar* memory) const { std::free(memory); }
  };
  std::unique_ptr<Scalar[], Free> memory_;
  Index capacity_ = 0, rows_ = 0, cols_ = 0, stride_ = 0;
};

using IdMatrix = Buffer<Id>;  ///< token ids of a padded batch, [B, length]

}  // namespace glassformer
