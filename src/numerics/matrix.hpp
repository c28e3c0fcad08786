#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "numerics/matrix_memory.hpp"

/// The words for numbers that every other room uses. All matrices are row-major: a row is a token.
///
/// Letters of the shape comments: B sentences, S source length, T target length, N rows (tokens), D model width,
/// H heads, F feed-forward width, V vocabulary.
namespace glassformer {

using Index = Eigen::Index;  ///< a number of rows, of columns, of anything that is counted
using Id = std::int32_t;  ///< a token's number in its vocabulary

/// Owns its numbers, row by row.
template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// [1, columns]
template <class Scalar>
using RowVector = Eigen::Matrix<Scalar, 1, Eigen::Dynamic, Eigen::RowMajor>;
/// [rows, 1]
template <class Scalar>
using ColVector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

using IdMatrix = Matrix<Id>;  ///< token ids of a padded batch, [B, length]

/// Views own nothing; a copy shows the same numbers.
template <class Scalar>
using MatrixView = Eigen::Map<Matrix<Scalar>>;
/// The same of a row.
template <class Scalar>
using RowVectorView = Eigen::Map<RowVector<Scalar>>;

/// How a matrix is handed to a function: a whole matrix, a view or a block of columns, never copied.
template <class Scalar>
using ConstMatrixRef = const Eigen::Ref<const Matrix<Scalar>>&;
/// The same where the function writes into it.
template <class Scalar>
using MatrixRef = Eigen::Ref<Matrix<Scalar>>;

/// A matrix whose memory only grows, so that a training step, once warm, allocates nothing. In every expression
/// it is an ordinary Eigen matrix. resize() leaves the contents undefined.
///
/// From one row to the next it is outerStride() numbers, which may be more than cols(): rows that begin at multiples of
/// 2 KiB would all want the same few places of a cache, so between such rows a cache line is left free.
template <class Scalar>
class Buffer : public Eigen::Map<Matrix<Scalar>, Eigen::Unaligned, Eigen::OuterStride<>> {
 public:
  using View = Eigen::Map<Matrix<Scalar>, Eigen::Unaligned, Eigen::OuterStride<>>;
  using View::operator=;

  Buffer() : View(nullptr, 0, 0, Eigen::OuterStride<>(0)) {}
  Buffer(Index rows, Index cols) : Buffer() { resize(rows, cols); }
  Buffer(Buffer&& other) noexcept
      : View(other),
        memory_(std::move(other.memory_)),
        capacity_(std::exchange(other.capacity_, 0)) {
    new (static_cast<View*>(&other)) View(nullptr, 0, 0, Eigen::OuterStride<>(0));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer& operator=(Buffer&&) = delete;

  void resize(Index rows, Index cols) {
    const Index stride = rows > 1 && cols > 0 && cols % (2048 / kSize) == 0 ? cols + 64 / kSize : cols;
    if (rows * stride > capacity_) {
      new (static_cast<View*>(this)) View(nullptr, 0, 0, Eigen::OuterStride<>(0));  // should there be no memory
      capacity_ = 0;
      memory_.reset();  // before the larger one is taken: they need not be there at the same time
      memory_.reset(static_cast<Scalar*>(allocate_matrix_memory(static_cast<std::size_t>(rows * stride * kSize))));
      capacity_ = rows * stride;
    }
    new (static_cast<View*>(this)) View(memory_.get(), rows, cols, Eigen::OuterStride<>(stride));
  }
  void resize_like(const auto& other) { resize(other.rows(), other.cols()); }
  /// For `a.view() = b`: between buffers, a plain `=` is forbidden, lest one be copied where it was meant to be moved.
  View& view() { return *this; }

 private:
  static constexpr auto kSize = static_cast<Index>(sizeof(Scalar));
  struct Free {
    void operator()(Scalar* memory) const { free_matrix_memory(memory); }
  };
  std::unique_ptr<Scalar[], Free> memory_;
  Index capacity_ = 0;
};

}  // namespace glassformer
