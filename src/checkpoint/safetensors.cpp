#include "checkpoint/safetensors.hpp"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>

#include "files/durable_files.hpp"
#include "files/user_error.hpp"

namespace glassformer {

namespace fs = std::filesystem;
using nlohmann::json;
static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");
static_assert(sizeof(float) == 4);

namespace {

constexpr std::size_t kLengthBytes = 8;                // size of the header's length field
constexpr std::uint64_t kLongestHeader = 100'000'000;  // as in the reference implementation

/// Describes what is wrong with a file; read_safetensors puts the file's name in front.
struct Damage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A list of whole numbers. Those too large for an Index become the largest Index; no file is large enough for that.
std::vector<Index> read_numbers(const json& list) {
  constexpr std::uint64_t kMostIndex = std::numeric_limits<Index>::max();
  std::vector<Index> numbers;
  for (const json& entry : list)
    numbers.push_back(static_cast<Index>(std::min(entry.get_ref<const json::number_unsigned_t&>(), kMostIndex)));
  return numbers;
}

/// The product of the shape, or `limit` + 1 if it is larger than `limit`.
Index count_up_to(const std::vector<Index>& shape, Index limit) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  Index product = 1;
  for (const Index extent : shape) {
    if (extent > limit / product) return limit + 1;
    product *= extent;
  }
  return product;
}

/// A tensor in the file. Its `place` counts numbers, not bytes.
struct Entry {
  TensorPlace place;
  std::string type;  // F32, F16 or BF16
  Index begin, bytes;
};

/// One entry of the header. `data_bytes` is how many bytes follow the header in the file.
Entry read_entry(const std::string& name, const json& entry, Index data_bytes) {
  const std::string type = entry.at("dtype"), quoted = json(name).dump();
  if (type != "F32" && type != "F16" && type != "BF16")
    throw Damage(
        fmt::format("expected numbers of type \"F32\", \"F16\" or \"BF16\" in tensor {}, found {}. Convert the file, "
                    "for example with tensor.float() in PyTorch",
                    quoted, json(type).dump()));
  const std::vector<Index> shape = read_numbers(entry.at("shape")), offsets = read_numbers(entry.at("data_offsets"));
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_bytes)
    throw Damage(fmt::format("the data_offsets of tensor {} are not within the {} bytes of data", quoted, data_bytes));
  const Index bytes = offsets[1] - offsets[0], number_bytes = type == "F32" ? 4 : 2;
  const Index size = count_up_to(shape, data_bytes / number_bytes);
  if (size * number_bytes != bytes)
    throw Damage(
        fmt::format("tensor {} has {} bytes, which does not match its shape {}", quoted, bytes, json(shape).dump()));
  return {{name, shape, 0, size}, type, offsets[0], bytes};
}

/// All tensors, in the order of their data. They must cover it without gaps or overlaps.
std::vector<Entry> read_entries(const json& header, Index data_bytes) {
  std::vector<Entry> entries;
  for (const auto& [name, entry] : header.items())
    if (name != "__metadata__") entries.push_back(read_entry(name, entry, data_bytes));
  std::ranges::sort(entries, {}, [](const Entry& entry) { return std::pair(entry.begin, entry.bytes); });
  Index end = 0, offset = 0;  // in bytes, in numbers
  for (Entry& entry : entries) {
    if (entry.begin != end)
      throw Damage(fmt::format("the data of tensor {} does not begin at byte {}, where the data before it ends",
                               json(entry.place.name).dump(), end));
    entry.place.offset = offset;
    end += entry.bytes;
    offset += entry.place.size;
  }
  if (end != data_bytes)
    throw Damage(fmt::format("its header describes {} bytes of data, but {} bytes follow", end, data_bytes));
  return entries;
}

void read_bytes(Descriptor& input, void* bytes, std::uint64_t count) {
  for (std::span left(static_cast<char*>(bytes), count); !left.empty();) {
    const std::size_t read = input.read(left);
    if (read == 0) throw Damage("reading stopped before the end of the file");
    left = left.subspan(read);
  }
}

template <class Half>
void read_halves(Descriptor& input, std::span<float> numbers) {
  std::vector<Half> halves(numbers.size());
  read_bytes(input, halves.data(), halves.size() * sizeof(Half));
  std::ranges::transform(halves, numbers.begin(), [](Half half) { return static_cast<float>(half); });
}

/// Reads the header's text. Leaves `input` where the data begins.
std::string read_header(Descriptor& input, std::uint64_t file_size) {
  const std::string truncated = "The file is truncated, or it is not a safetensors file";
  if (file_size < kLengthBytes) throw Damage(fmt::format("it has only {} bytes. {}", file_size, truncated));
  std::uint64_t length = 0;
  read_bytes(input, &length, kLengthBytes);
  if (length > file_size - kLengthBytes || length > kLongestHeader)
    throw Damage(fmt::format("it claims to have a header of {} bytes, but has {} bytes in all. {}", length, file_size,
                             truncated));
  std::string text(length, '\0');
  read_bytes(input, text.data(), length);
  return text;
}

Safetensors read_checked(Descriptor& input, std::uint64_t file_size) try {
  const std::string text = read_header(input, file_size);
  const json header = json::parse(text, [](int depth, json::parse_event_t, const json&) {
    if (depth > 3) throw Damage("its header is nested too deeply");  // deeper than {name: {"shape": [...]}}
    return true;
  });
  Safetensors result;
  if (header.contains("__metadata__")) result.metadata = header["__metadata__"].get<Metadata>();
  std::vector<Entry> entries = read_entries(header, static_cast<Index>(file_size - kLengthBytes - text.size()));
  if (!entries.empty())
    result.values.resize(static_cast<std::size_t>(entries.back().place.offset + entries.back().place.size));
  for (Entry& entry : entries) {
    const auto size = static_cast<std::size_t>(entry.place.size);
    const auto numbers = std::span(result.values).subspan(static_cast<std::size_t>(entry.place.offset), size);
    if (entry.type == "F32")
      read_bytes(input, numbers.data(), numbers.size_bytes());
    else if (entry.type == "F16")
      read_halves<Eigen::half>(input, numbers);
    else
      read_halves<Eigen::bfloat16>(input, numbers);
    result.tensors.push_back(std::move(entry.place));
  }
  return result;
} catch (const json::exception& error) {
  throw Damage("its JSON header is damaged: " + std::string(error.what()).substr(0, 200));
}

/// The header's length and the header, padded so that the data begins at a multiple of 8 bytes.
std::string make_header(const std::vector<NamedTensor>& tensors, const Metadata& metadata) {
  nlohmann::ordered_json header;
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

const TensorPlace* Safetensors::find(const std::string& name) const {
  const auto found = std::ranges::find(tensors, name, &TensorPlace::name);
  return found == tensors.end() ? nullptr : &*found;
}

std::span<const float> Safetensors::values_of(const TensorPlace& tensor) const {
  return std::span(values).subspan(static_cast<std::size_t>(tensor.offset), static_cast<std::size_t>(tensor.size));
}

void write_safetensors(const fs::path& file, const std::vector<NamedTensor>& tensors, Metadata metadata) {
  metadata.emplace("format", "pt");
  const std::string header = make_header(tensors, metadata);
  std::vector<Bytes> parts{std::as_bytes(std::span(header))};
  for (const NamedTensor& tensor : tensors) parts.push_back(std::as_bytes(tensor.values));
  write_file_durably(file, parts);
}

Safetensors read_safetensors(const fs::path& file) try {
  if (!fs::exists(file)) throw Damage("there is no such file");
  if (!fs::is_regular_file(file)) throw Damage("this is not a file");
  Descriptor input(file, O_RDONLY);
  return read_checked(input, fs::file_size(file));
} catch (const Damage& damage) {
  throw UserError(file.string() + ": " + damage.what() + ".");
} catch (const fs::filesystem_error& error) {
  throw_disk_error("cannot be read", file, error.code());
} catch (const std::bad_alloc&) {
  throw std::runtime_error(file.string() + ": the file does not fit into memory.");
}

}  // namespace glassformer
