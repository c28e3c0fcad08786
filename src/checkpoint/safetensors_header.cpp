#include "glassformer/checkpoint/safetensors_header.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "glassformer/files/suggestion.hpp"

namespace glassformer {

using nlohmann::json;

namespace {

using Tensor = Safetensors::Tensor;

/// A list of integers. Those too large for an Index become the largest Index; no file is large enough for that.
std::vector<Index> read_numbers(const json& list) {
  constexpr std::uint64_t kMostIndex = std::numeric_limits<Index>::max();
  std::vector<Index> numbers;
  for (const json& entry : list) {
    numbers.push_back(static_cast<Index>(std::min(entry.get_ref<const json::number_unsigned_t&>(), kMostIndex)));
  }
  return numbers;
}

/// One entry of the header. `data_bytes` is how many bytes follow the header in the file.
Tensor read_entry(const std::string& name, const json& entry, Index data_bytes) {
  const std::string type = entry.at("dtype");
  if (type != "F32" && type != "F16" && type != "BF16") {
    throw SafetensorsDamage(fmt::format(
        "expected numbers of type \"F32\", \"F16\" or \"BF16\" in tensor {}, found \"{}\". Convert the file, "
        "for example with tensor.float() in PyTorch",
        in_quotes(name), brief(type)));
  }
  const std::vector<Index> shape = read_numbers(entry.at("shape"));
  const std::vector<Index> offsets = read_numbers(entry.at("data_offsets"));
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_bytes) {
    throw SafetensorsDamage(
        fmt::format("the data_offsets of tensor {} are not within the {} bytes of data", in_quotes(name), data_bytes));
  }
  const Index bytes = offsets[1] - offsets[0];
  const Index number_bytes = bytes_per_number(type);
  const Index size = count_up_to(shape, data_bytes / number_bytes);
  if (size * number_bytes != bytes) {
    throw SafetensorsDamage(fmt::format("tensor {} has {} bytes, which does not match its shape {}", in_quotes(name),
                                        bytes, brief(json(shape).dump())));
  }
  return {name, type, shape, size, offsets[0]};
}

}  // namespace

std::string in_quotes(const std::string& name) { return '"' + brief(name) + '"'; }

Index bytes_per_number(const std::string& type) { return type == "F32" ? 4 : 2; }

Index count_up_to(const std::vector<Index>& shape, Index limit) {
  if (std::ranges::find(shape, 0) != shape.end()) {
    return 0;
  }
  Index product = 1;
  for (const Index extent : shape) {
    if (extent > limit / product) {
      return limit + 1;
    }
    product *= extent;
  }
  return product;
}

std::vector<Tensor> read_entries(const json& header, Index data_begin, Index data_bytes) {
  std::vector<Tensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name != "__metadata__") {
      tensors.push_back(read_entry(name, entry, data_bytes));
    }
  }
  std::ranges::sort(tensors, {}, [](const Tensor& tensor) { return std::pair(tensor.begin, tensor.size); });
  Index end = 0;
  for (Tensor& tensor : tensors) {
    if (tensor.begin != end) {
      throw SafetensorsDamage(
          fmt::format("the data of tensor {} does not begin at byte {}, where the data before it ends",
                      in_quotes(tensor.name), end));
    }
    end += tensor.size * bytes_per_number(tensor.type);
    tensor.begin += data_begin;
  }
  if (end != data_bytes) {
    throw SafetensorsDamage(fmt::format("its header describes {} bytes of data, but {} bytes follow", end, data_bytes));
  }
  std::ranges::sort(tensors, {}, &Tensor::name);
  return tensors;
}

}  // namespace glassformer
