#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "glassformer/checkpoint/safetensors.hpp"

/// The header of a safetensors file.
namespace glassformer {

inline constexpr std::size_t kLengthBytes = 8;  ///< size of the header's length, at the beginning of the file

/// Describes what is wrong with a file; Safetensors puts the file's name in front.
struct SafetensorsDamage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string in_quotes(const std::string& name);   ///< shortened if it is long
Index bytes_per_number(const std::string& type);  ///< F32, F16 or BF16
/// The product of the shape, or `limit` + 1 if it is larger than `limit`.
Index count_up_to(const std::vector<Index>& shape, Index limit);

/// All tensors. `data_begin`: the file's first byte after the header; `data_bytes`: how many bytes follow.
/// Their data must cover everything after the header without gaps or overlaps. \throws SafetensorsDamage,
/// nlohmann::json::exception
std::vector<Safetensors::Tensor> read_entries(const nlohmann::json& header, Index data_begin, Index data_bytes);

}  // namespace glassformer
