#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include "numerics/parameter.hpp"

namespace glassformer {

/// The number of a place in the model that draws random numbers. Each place has its own.
using Site = std::uint32_t;

/// What a model under construction has assigned to its layers so far.
template <std::floating_point Scalar>
struct Construction {
  ParameterCursor<Scalar> cursor;
  Site next_site = 0;

  explicit Construction(const BoundMemory<Scalar>& memory) : cursor(memory) {}
};

/// What a layer's constructor gets: its name, the positions of its parameters in the arena, and its dropout sites.
/// Parameters and sites are assigned in the order in which layers request them.
template <std::floating_point Scalar>
class Part {
 public:
  /// The names of the part's tensors begin with `prefix`.
  Part(Construction<Scalar>& construction, std::string name, std::string prefix)
      : construction_(&construction), name_(std::move(name)), prefix_(std::move(prefix)) {}

  /// A part inside this part: at("encoder"), at("layers", 0).
  Part at(const std::string& part) const { return {*construction_, inner_name(part), prefix_ + part + "."}; }
  Part at(const std::string& part, Index number) const { return at(part + "." + std::to_string(number)); }
  /// A part inside this part, with the same prefix: its own name does not occur in its tensors' names.
  Part sharing_prefix(const std::string& part) const { return {*construction_, inner_name(part), prefix_}; }

  /// "encoder.layers.0.self_attn"
  const std::string& name() const { return name_; }

  /// Assigns the next tensor.
  MatrixParameter<Scalar> matrix(const std::string& tensor, Index rows, Index cols) const {
    return construction_->cursor.matrix(prefix_ + tensor, rows, cols);
  }
  VectorParameter<Scalar> vector(const std::string& tensor, Index size) const {
    return construction_->cursor.vector(prefix_ + tensor, size);
  }
  /// Assigns the next dropout site. After start_sites(first), that is `first`.
  Site next_site() const { return construction_->next_site++; }
  void start_sites(Site first) const { construction_->next_site = first; }

 private:
  std::string inner_name(const std::string& part) const { return name_.empty() ? part : name_ + "." + part; }

  Construction<Scalar>* construction_;
  std::string name_, prefix_;
};

}  // namespace glassformer
