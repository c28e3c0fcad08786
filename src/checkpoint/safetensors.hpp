#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "numerics/arena.hpp"

/// The safetensors format (https://huggingface.co/docs/safetensors), so that other tools can read our checkpoints:
///
///   8 bytes         length of the header, little-endian
///   header          JSON: {"__metadata__": {NAME: TEXT, ...},
///                          NAME: {"dtype": "F32", "shape": [rows, cols], "data_offsets": [begin, end]}, ...}
///   data            the numbers of all tensors, back to back; the offsets count bytes from here
namespace glassformer {

/// A tensor to write. Does not own its values.
struct NamedTensor {
  std::string name;
  std::vector<Index> shape;
  std::span<const float> values;  ///< row-major; as many as the product of the shape
};

using Metadata = std::map<std::string, std::string>;  ///< texts in the header, by name

/// A file that has been read and checked: every number of `values` belongs to exactly one tensor.
struct Safetensors {
  Metadata metadata;
  std::vector<TensorPlace> tensors;  ///< in the order of their values; offsets count floats
  std::vector<float> values;

  const TensorPlace* find(const std::string& name) const;             ///< nullptr if none has that name
  std::span<const float> values_of(const TensorPlace& tensor) const;  ///< row-major
};

/// Adds "format": "pt" to the metadata, for the Hugging Face library. Replaces an older file in one step.
/// \throws as throw_disk_error() does
void write_safetensors(const std::filesystem::path& file, const std::vector<NamedTensor>& tensors,
                       Metadata metadata = {});

/// Trusts nothing in the file: allocates memory only after checking that the header describes the file's size exactly.
/// Half-precision numbers (F16, BF16) become floats. \throws UserError: no such file, a truncated file, not a
/// safetensors file, numbers of another type
Safetensors read_safetensors(const std::filesystem::path& file);

}  // namespace glassformer
