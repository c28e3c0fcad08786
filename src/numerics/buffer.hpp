#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>

#include "glassformer/numerics/memory.hpp"
#include "glassformer/numerics/views.hpp"

namespace glassformer {

/// A matrix whose memory only grows, so training soon allocates nothing more. resize() leaves the contents undefined.
///
/// The stride may exceed the width. Rows that are a multiple of 2 KiB apart would compete for the same few cache sets,
/// so a cache line is left free between such rows.
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
    eigen() = other.eigen();
    return *this;
  }
  Buffer(Buffer&& other) noexcept
      : memory_(std::exchange(other.memory_, Memory())), view_(std::exchange(other.view_, {})) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(view_, other.view_);
    return *this;
  }

  void resize(Index rows, Index cols) {
    const Index stride = rows > 1 && cols > 0 && cols % (2048 / kSize) == 0 ? cols + 64 / kSize : cols;
    if (const auto bytes = static_cast<std::size_t>(rows * stride * kSize); bytes > memory_.get_deleter().bytes) {
      view_ = {};
      memory_ = Memory();  // first, so that the old and the new memory need not exist at the same time
      memory_ = Memory(static_cast<Scalar*>(allocate_matrix_memory(bytes)), {bytes, matrix_memory.release});
    }
    view_ = {memory_.get(), rows, cols, stride};
  }
  void resize_like(const auto& other) { resize(other.rows(), other.cols()); }
  void fill(Scalar value) { eigen().setConstant(value); }

  MatrixView<Scalar> view() { return view_; }
  MatrixView<const Scalar> view() const { return view_; }
  operator MatrixView<Scalar>() { return view(); }
  operator MatrixView<const Scalar>() const { return view(); }

  // These work as in MatrixView.
  Index rows() const { return view_.rows(); }
  Index cols() const { return view_.cols(); }
  Index size() const { return rows() * cols(); }
  Scalar* data() { return view_.data(); }
  const Scalar* data() const { return view_.data(); }
  Scalar& operator()(Index i, Index j) { return view()(i, j); }
  const Scalar& operator()(Index i, Index j) const { return view()(i, j); }
  RowView<Scalar> row(Index i) { return view().row(i); }
  RowView<const Scalar> row(Index i) const { return view().row(i); }
  auto eigen() { return view().eigen(); }
  auto eigen() const { return view().eigen(); }

 private:
  static constexpr auto kSize = static_cast<Index>(sizeof(Scalar));
  struct Release {
    std::size_t bytes = 0;
    void (*release)(void*, std::size_t) = nullptr;
    void operator()(Scalar* memory) const { release(memory, bytes); }
  };
  using Memory = std::unique_ptr<Scalar[], Release>;
  Memory memory_;
  MatrixView<Scalar> view_;
};

using IdMatrix = Buffer<Id>;  ///< token ids of a padded batch, [B, length]

}  // namespace glassformer
