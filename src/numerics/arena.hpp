#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "numerics/matrix.hpp"

namespace glassformer {

/// Where one tensor lies in its arena.
struct TensorPlace {
  std::string name;          ///< as the checkpoint calls it
  std::vector<Index> shape;  ///< [rows, cols] or [size]
  Index offset = 0;          ///< of its first number
  Index size = 0;            ///< how many numbers
};

/// Memory for all tensors of a model in one vector: its weights, or a gradient of the same layout. So updating,
/// summing, averaging and saving each take one loop over the numbers.
template <std::floating_point Scalar>
class Arena {
 public:
  /// All numbers start as 0. `tensors` lie one after the other.
  explicit Arena(std::vector<TensorPlace> tensors) : tensors_(std::move(tensors)) {
    memory_.resize(1, tensors_.empty() ? 0 : tensors_.back().offset + tensors_.back().size);
    memory_.fill(0);
  }

  Index size() const { return memory_.cols(); }
  RowView<Scalar> values() { return memory_.row(0); }
  RowView<const Scalar> values() const { return memory_.row(0); }

  const std::vector<TensorPlace>& tensors() const { return tensors_; }
  /// The numbers of one tensor.
  RowView<Scalar> values(const TensorPlace& tensor) { return {memory_.data() + tensor.offset, tensor.size}; }
  RowView<const Scalar> values(const TensorPlace& tensor) const {
    return {memory_.data() + tensor.offset, tensor.size};
  }

 private:
  Buffer<Scalar> memory_;
  std::vector<TensorPlace> tensors_;
};

}  // namespace glassformer
