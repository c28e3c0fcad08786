#include "checkpoint/safetensors.hpp"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "files/checkpoint_file.hpp"
#include "files/descriptor.hpp"
#include "files/durable_files.hpp"
#include "files/json_file.hpp"
#include "files/suggestion.hpp"

namespace glassformer {

namespace fs = std::filesystem;
using nlohmann::json;
static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");
static_assert(sizeof(float) == 4);

namespace {

constexpr std::size_t kLengthBytes = 8;             // size of the header's length field
constexpr std::uint64_t kLongestHeader = 1U << 24;  // a tensor takes about 100 bytes
using Tensor = Safetensors::Tensor;

/// Describes what is wrong with a file; Safetensors puts the file's name in front.
struct Damage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A list of integers. Those too large for an Index become the largest Index; no file is large enough for that.
std::vector<Index> read_numbers(const json& list) {
  constexpr std::uint64_t kMostIndex = std::numeric_limits<Index>::max();
  std::vector<Index> numbers;
  for (const json& entry : list) {
    numbers.push_back(static_cast<Index>(std::min(entry.get_ref<const json::number_unsigned_t&>(), kMostIndex)));
  }
  return numbers;
}

/// The product of the shape, or `limit` + 1 if it is larger than `limit`.
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

std::string in_quotes(const std::string& name) { return '"' + brief(name) + '"'; }
Index bytes_per_number(const std::string& type) { return type == "F32" ? 4 : 2; }

/// One entry of the header. `data_bytes` is how many bytes follow the header in the file.
Tensor read_entry(const std::string& name, const json& entry, Index data_bytes) {
  const std::string type = entry.at("dtype");
  if (type != "F32" && type != "F16" && type != "BF16") {
    throw Damage(fmt::format(
        "expected numbers of type \"F32\", \"F16\" or \"BF16\" in tensor {}, found \"{}\". Convert the file, "
        "for example with tensor.float() in PyTorch",
        in_quotes(name), brief(type)));
  }
  const std::vector<Index> shape = read_numbers(entry.at("shape"));
  const std::vector<Index> offsets = read_numbers(entry.at("data_offsets"));
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_bytes) {
    throw Damage(
        fmt::format("the data_offsets of tensor {} are not within the {} bytes of data", in_quotes(name), data_bytes));
  }
  const Index bytes = offsets[1] - offsets[0];
  const Index number_bytes = bytes_per_number(type);
  const Index size = count_up_to(shape, data_bytes / number_bytes);
  if (size * number_bytes != bytes) {
    throw Damage(fmt::format("tensor {} has {} bytes, which does not match its shape {}", in_quotes(name), bytes,
                             brief(json(shape).dump())));
  }
  return {name, type, shape, size, offsets[0]};
}

/// All tensors. Their data must cover everything after the header without gaps or overlaps.
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
      throw Damage(fmt::format("the data of tensor {} does not begin at byte {}, where the data before it ends",
                               in_quotes(tensor.name), end));
    }
    end += tensor.size * bytes_per_number(tensor.type);
    tensor.begin += data_begin;
  }
  if (end != data_bytes) {
    throw Damage(fmt::format("its header describes {} bytes of data, but {} bytes follow", end, data_bytes));
  }
  std::ranges::sort(tensors, {}, &Tensor::name);
  return tensors;
}

void read_at(const Descriptor& file, void* bytes, std::size_t count, Index place) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 30;  // systems refuse more than about 2 GB in one call
  while (count > 0) {
    const ssize_t got = ::pread(file.number(), bytes, std::min(count, kAtOnce), place);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      throw_disk_error("cannot be read", file.path(), last_error());
    }
    if (got == 0) {
      throw Damage("reading stopped before the end of the file");
    }
    bytes = static_cast<char*>(bytes) + got;
    count -= static_cast<std::size_t>(got);
    place += got;
  }
}

template <class Half>
void read_halves(const Descriptor& file, std::span<float> numbers, Index place) {
  std::vector<Half> halves(numbers.size());
  read_at(file, halves.data(), halves.size() * sizeof(Half), place);
  std::ranges::transform(halves, numbers.begin(), [](Half half) { return static_cast<float>(half); });
}

/// Whether the file only names the real one, because it was cloned without Git LFS.
bool is_lfs_pointer(const Descriptor& file) {
  std::string beginning(std::string_view("version https://git-lfs").size(), '\0');
  const ssize_t got = ::pread(file.number(), beginning.data(), beginning.size(), 0);
  return got == std::ssize(beginning) && beginning == "version https://git-lfs";
}

/// Reads the header's text.
std::string read_header(const Descriptor& file, std::uint64_t file_size) {
  const std::string truncated = "The file is truncated, or it is not a safetensors file";
  if (is_lfs_pointer(file)) {
    throw Damage(
        "expected the model, found a pointer to it, as Git LFS stores it; get the file itself with git lfs pull");
  }
  if (file_size < kLengthBytes) {
    throw Damage(fmt::format("it has only {} bytes. {}", file_size, truncated));
  }
  std::uint64_t length = 0;
  read_at(file, &length, kLengthBytes, 0);
  if (length > file_size - kLengthBytes) {
    throw Damage(fmt::format("it claims to have a header of {} bytes, but has {} bytes in all. {}", length, file_size,
                             truncated));
  }
  if (length > kLongestHeader) {
    throw Damage(fmt::format("expected a header of at most {} bytes, found {}", kLongestHeader, length));
  }
  std::string text(length, '\0');
  read_at(file, text.data(), length, kLengthBytes);
  return text;
}

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

void write_safetensors(const fs::path& file, const std::vector<NamedTensor>& tensors, Metadata metadata) {
  metadata.emplace("format", "pt");
  const std::string header = make_header(tensors, metadata);
  std::vector<Bytes> parts{std::as_bytes(std::span(header))};
  for (const NamedTensor& tensor : tensors) {
    parts.push_back(std::as_bytes(tensor.values));
  }
  write_file_durably(file, parts);
}

Safetensors::Safetensors(const fs::path& file) try : file_(open_checkpoint_file(file)) {
  const auto file_size = fs::file_size(file);
  const std::string text = read_header(file_, file_size);
  const json header = parse_json(text, file.string());
  if (header.contains("__metadata__")) {
    metadata_ = header["__metadata__"].get<Metadata>();
  }
  const std::size_t data_begin = kLengthBytes + text.size();
  tensors_ = read_entries(header, static_cast<Index>(data_begin), static_cast<Index>(file_size - data_begin));
} catch (const Damage& damage) {
  throw UserError(file.string() + ": " + damage.what() + ".");
} catch (const json::exception& error) {
  throw UserError(file.string() + ": its JSON header is damaged: " + brief(error.what(), 200) + ".");
} catch (const fs::filesystem_error& error) {
  throw_disk_error("cannot be read", file, error.code());
}

const Tensor* Safetensors::find(const std::string& name) const {
  const auto found = std::ranges::lower_bound(tensors_, name, {}, &Tensor::name);
  return found == tensors_.end() || found->name != name ? nullptr : &*found;
}

void Safetensors::read(const Tensor& tensor, std::span<float> numbers, Index first) const try {
  const Index place = tensor.begin + first * bytes_per_number(tensor.type);
  if (tensor.type == "F32") {
    read_at(file_, numbers.data(), numbers.size_bytes(), place);
  } else if (tensor.type == "F16") {
    read_halves<Eigen::half>(file_, numbers, place);
  } else {
    read_halves<Eigen::bfloat16>(file_, numbers, place);
  }
  const auto wrong = std::ranges::count_if(numbers, [](float x) { return !std::isfinite(x); });
  if (wrong == 0) {
    return;
  }
  throw Damage(
      fmt::format("expected finite numbers, found NaN or infinity ({} of {} numbers in tensor {}). The model is "
                  "damaged, or its training diverged: use another checkpoint",
                  wrong, numbers.size(), in_quotes(tensor.name)));
} catch (const Damage& damage) {
  throw UserError(file_.path().string() + ": " + damage.what() + ".");
}

std::vector<float> Safetensors::read(const Tensor& tensor) const {
  std::vector<float> numbers(static_cast<std::size_t>(tensor.size));
  read(tensor, numbers);
  return numbers;
}

}  // namespace glassformer
