#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "glassformer/numerics/matrix.hpp"
#include "glassformer/numerics/role.hpp"

namespace glassformer {

/// One tensor: what it is, and its location in its arena.
struct TensorPlace {
  std::string name;          ///< as in the checkpoint
  std::vector<Index> shape;  ///< [rows, cols] or [size]
  Role role;
  Index offset = 0;  ///< index of its first element
  Index size = 0;    ///< number of elements
};

/// All tensors of a model in one contiguous vector: the weights, or a gradient with the same layout. Updating, summing,
/// averaging and saving are then one loop each.
template <std::floating_point Scalar>
class Arena {
 public:
  /// All elements start at 0. `tensors` follow one another without gaps.
  explicit Arena(std::vector<TensorPlace> tensors) : tensors_(std::move(tensors)) {
    memory_.resize(1, tensors_.empty() ? 0 : tensors_.back().offset + tensors_.back().size);
    memory_.fill(0);
  }

  Index size() const { return memory_.cols(); }
  RowView<Scalar> values() { return memory_.row(0); }
  RowView<const Scalar> values() const { return memory_.row(0); }

  const std::vector<TensorPlace>& tensors() const { return tensors_; }
  /// The elements of one tensor.
  RowView<Scalar> values(const TensorPlace& tensor) { return {memory_.data() + tensor.offset, tensor.size}; }
  RowView<const Scalar> values(const TensorPlace& tensor) const {
    return {memory_.data() + tensor.offset, tensor.size};
  }

 private:
  Buffer<Scalar> memory_;
  std::vector<TensorPlace> tensors_;
};

}  // namespace glassformer
