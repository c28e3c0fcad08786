#pragma once

#include <concepts>
#include <optional>
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

/// Walks along an arena and hands out its parts. One line per tensor thus fixes name, shape, place and view:
///
///   weight(cursor.matrix("fc1.weight", d_ff, d_model))
///
/// The same walk over no memory only counts.
template <std::floating_point Scalar>
class ArenaCursor {
 public:
  explicit ArenaCursor(Scalar* memory) : memory_(memory) {}

  MatrixView<Scalar> matrix(const std::string& name, Index rows, Index cols) {
    return {take(name, {rows, cols}, rows * cols), rows, cols};
  }
  RowVectorView<Scalar> vector(const std::string& name, Index size) { return {take(name, {size}, size), size}; }

  /// Names handed out until the Scope ends begin with `prefix`.
  class Scope {
   public:
    Scope(ArenaCursor& cursor, const std::string& prefix) : cursor_(cursor), outer_(cursor.prefix_.size()) {
      cursor.prefix_ += prefix;
    }
    ~Scope() { cursor_.prefix_.resize(outer_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ArenaCursor& cursor_;
    std::size_t outer_;
  };

  Index size() const { return size_; }
  const std::vector<TensorPlace>& tensors() const { return tensors_; }

 private:
  Scalar* take(const std::string& name, std::vector<Index> shape, Index size) {
    Scalar* const begin = memory_ == nullptr ? nullptr : memory_ + size_;
    tensors_.push_back({prefix_ + name, std::move(shape), size_, size});
    size_ += size;
    return begin;
  }

  Scalar* memory_;
  Index size_ = 0;
  std::string prefix_;
  std::vector<TensorPlace> tensors_;
};

/// All parameters of a model in one vector, seen through `Parameters`, a struct of views. A gradient is the same
/// thing bound to other memory. Not copyable: a copied view would show the old numbers.
template <class Parameters>
class Arena {
 public:
  using Scalar = typename Parameters::Scalar;
  using Vector = Eigen::Map<Eigen::Array<Scalar, Eigen::Dynamic, 1>>;

  /// `arguments` are what Parameters' constructor wants after the cursor. All numbers start as 0.
  template <class... Arguments>
  explicit Arena(const Arguments&... arguments) {
    ArenaCursor<Scalar> count(nullptr);
    Parameters{count, arguments...};
    memory_.resize(1, count.size());
    memory_.setZero();
    ArenaCursor<Scalar> bind(memory_.data());
    parameters_.emplace(bind, arguments...);
    tensors_ = bind.tensors();
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Parameters& parameters() { return *parameters_; }
  const Parameters& parameters() const { return *parameters_; }

  Index size() const { return memory_.cols(); }
  Vector values() { return {memory_.data(), memory_.cols()}; }
  Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>> values() const { return {memory_.data(), memory_.cols()}; }

  const std::vector<TensorPlace>& tensors() const { return tensors_; }
  /// The numbers of one tensor.
  Vector values(const TensorPlace& tensor) { return {memory_.data() + tensor.offset, tensor.size}; }
  Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>> values(const TensorPlace& tensor) const {
    return {memory_.data() + tensor.offset, tensor.size};
  }

 private:
  Buffer<Scalar> memory_;
  std::optional<Parameters> parameters_;
  std::vector<TensorPlace> tensors_;
};

}  // namespace glassformer
