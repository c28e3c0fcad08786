#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "glassformer/checkpoint/safetensors.hpp"
#include "glassformer/checkpoint/safetensors_header.hpp"
#include "glassformer/files/durable_files.hpp"

namespace glassformer {
namespace {

/// The header's length and the header, padded so that the data begins at a multiple of 8 bytes.
std::string make_header(const std::vector<NamedTensor>& tensors, const Metadata& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  header["__metadata__"] = metadata;
  Index offset = 0;
  for (const NamedTensor& tensor : tensors) {
    const auto bytes = static_cast<Index>(tensor.values.size_bytes());
    assert(count_up_to(tensor.shape, bytes) * 4 == bytes && !header.contains(tensor.name));
    header[tensor.name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  std::array<char, kLengthBytes> bytes{};
  std::memcpy(bytes.data(), &length, kLengthBytes);
  return std::string(bytes.data(), kLengthBytes) + text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& file, const std::vector<NamedTensor>& tensors, Metadata metadata) {
  metadata.emplace("format", "pt");
  const std::string header = make_header(tensors, metadata);
  std::vector<Bytes> parts{std::as_bytes(std::span(header))};
  for (const NamedTensor& tensor : tensors) {
    parts.push_back(std::as_bytes(tensor.values));
  }
  write_file_durably(file, parts);
}

}  // namespace glassformer
