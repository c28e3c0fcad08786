#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "glassformer/files/descriptor.hpp"
#include "glassformer/numerics/matrix.hpp"

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

/// A file whose header has been read and checked: every byte of its data belongs to exactly one tensor. Numbers
/// are read only on request, so a header with wrong sizes does not make us allocate memory. Half-precision numbers
/// become floats.
class Safetensors {
 public:
  struct Tensor {
    std::string name;
    std::string type;          ///< F32, F16 or BF16
    std::vector<Index> shape;  ///< [rows, cols] or [size]
    Index size = 0;            ///< number of elements
    Index begin = 0;           ///< index of its first byte in the file
  };

  /// \throws UserError: no such file, a truncated file, not a safetensors file, numbers of another type
  explicit Safetensors(const std::filesystem::path& file);

  const Metadata& metadata() const { return metadata_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }  ///< sorted by name
  const Tensor* find(const std::string& name) const;               ///< nullptr if none has that name

  /// Fills `numbers` with those of a tensor, row-major, starting at number `first`. \throws UserError: NaN or infinity
  void read(const Tensor& tensor, std::span<float> numbers, Index first = 0) const;
  std::vector<float> read(const Tensor& tensor) const;  ///< all numbers of a tensor

 private:
  Descriptor file_;
  Metadata metadata_;
  std::vector<Tensor> tensors_;
};

/// Adds "format": "pt" to the metadata, for the Hugging Face library. Replaces an older file in one step.
/// \throws as throw_disk_error() does
void write_safetensors(const std::filesystem::path& file, const std::vector<NamedTensor>& tensors,
                       Metadata metadata = {});

}  // namespace glassformer
