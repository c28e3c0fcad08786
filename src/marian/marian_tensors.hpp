#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "glassformer/numerics/arena.hpp"

/// How a checkpoint's tensors differ from those of a model. Both have the names of Hugging Face's Marian models, but
/// some files have further names for them, and some shapes differ. Only this file knows names that our models lack.
namespace glassformer {

/// How the file stores a tensor. The two shapes differ only for the tables of the smaller vocabulary.
struct StoredTensor {
  std::vector<Index> shape, padded_shape;
  float padding;
};

/// How the file stores each of a model's tensors, in the same order.
std::vector<StoredTensor> stored_tensors(const std::vector<TensorPlace>& tensors);

/// Two names for a tied matrix: the one in our models, and one that other tools use.
struct Tied {
  std::string_view own, other;
};
std::span<const Tied> tied_names();

/// Whether other tools store a table of positions under this name. We compute it.
bool is_position_table(std::string_view name);

}  // namespace glassformer
