#pragma once

#include <cassert>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "glassformer/numerics/arena.hpp"
#include "glassformer/numerics/gemm.hpp"

namespace glassformer {

/// The memory that a model's parameters currently use. All threads share the weights. The gradient is that of the
/// current shard, or null if none is computed. A search may keep packed copies of the weights.
template <std::floating_point Scalar>
struct BoundMemory {
  const Scalar* weights = nullptr;
  Scalar* gradient = nullptr;
  PackedWeights<Scalar>* packed = nullptr;
};

/// A learned matrix: a position in an arena. Layers that hold copies of it share the weights and add to one gradient.
template <std::floating_point Scalar>
class MatrixParameter {
 public:
  MatrixParameter(const BoundMemory<Scalar>& memory, Index offset, Index rows, Index cols)
      : memory_(&memory), offset_(offset), rows_(rows), cols_(cols) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  WeightView<Scalar> value() const { return {{memory_->weights + offset_, rows_, cols_}, memory_->packed}; }
  MatrixView<Scalar> gradient() const {
    assert(memory_->gradient != nullptr);
    return {memory_->gradient + offset_, rows_, cols_};
  }
  /// Its elements in any arena of the model.
  MatrixView<Scalar> in(Arena<Scalar>& arena) const { return {arena.values().data() + offset_, rows_, cols_}; }

  /// This parameter and the next one in the arena, as one parameter.
  MatrixParameter with(const MatrixParameter& next) const {
    assert(next.offset_ == offset_ + rows_ * cols_ && next.cols_ == cols_);
    return {*memory_, offset_, rows_ + next.rows_, cols_};
  }
  /// `count` rows, starting at row `first`, as a parameter.
  MatrixParameter middle_rows(Index first, Index count) const {
    assert(0 <= first && first + count <= rows_);
    return {*memory_, offset_ + first * cols_, count, cols_};
  }

 private:
  const BoundMemory<Scalar>* memory_;
  Index offset_, rows_, cols_;
};

/// A learned vector.
template <std::floating_point Scalar>
class VectorParameter {
 public:
  VectorParameter(const BoundMemory<Scalar>& memory, Index offset, Index size) : column_(memory, offset, size, 1) {}

  Index size() const { return column_.rows(); }
  RowView<const Scalar> value() const { return {column_.value().data(), size()}; }
  RowView<Scalar> gradient() const { return {column_.gradient().data(), size()}; }
  RowView<Scalar> in(Arena<Scalar>& arena) const { return {column_.in(arena).data(), size()}; }

  VectorParameter with(const VectorParameter& next) const { return VectorParameter(column_.with(next.column_)); }
  /// `count` elements, starting at element `first`, as a parameter.
  VectorParameter middle(Index first, Index count) const { return VectorParameter(column_.middle_rows(first, count)); }

 private:
  explicit VectorParameter(const MatrixParameter<Scalar>& column) : column_(column) {}

  MatrixParameter<Scalar> column_;  // [size, 1], the same elements
};

/// Assigns tensors their positions in the arena, in order. One line per tensor sets its name, shape, role and position.
template <std::floating_point Scalar>
class ParameterCursor {
 public:
  explicit ParameterCursor(const BoundMemory<Scalar>& memory) : memory_(memory) {}

  MatrixParameter<Scalar> matrix(const std::string& name, Index rows, Index cols, Role role) {
    return {memory_, take(name, {rows, cols}, role, rows * cols), rows, cols};
  }
  VectorParameter<Scalar> vector(const std::string& name, Index size, Role role) {
    return {memory_, take(name, {size}, role, size), size};
  }

  const std::vector<TensorPlace>& tensors() const { return tensors_; }

 private:
  Index take(const std::string& name, std::vector<Index> shape, Role role, Index size) {
    const Index offset = tensors_.empty() ? 0 : tensors_.back().offset + tensors_.back().size;
    tensors_.push_back({name, std::move(shape), role, offset, size});
    return offset;
  }

  const BoundMemory<Scalar>& memory_;
  std::vector<TensorPlace> tensors_;
};

}  // namespace glassformer
