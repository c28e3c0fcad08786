#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numerics/arena.hpp"

namespace glassformer {

/// How model.safetensors stores a tensor. The two shapes differ only for the tables of the smaller vocabulary:
/// transformers 4 refuses a model whose source and target tables have different sizes, so in the file we pad them.
struct StoredTensor {
  std::vector<Index> shape, padded_shape;
  float padding;
};

/// How the file stores each of these tensors.
std::vector<StoredTensor> stored_tensors(const std::vector<TensorPlace>& tensors);

/// Two names for a tied matrix: the one in our models, and one that other tools use.
struct Tied {
  std::string_view own, other;
};

std::span<const Tied> tied_names();  ///< all of them

/// Whether other tools store this table of positions, which we compute.
bool is_table_of_positions(std::string_view name);

}  // namespace glassformer
