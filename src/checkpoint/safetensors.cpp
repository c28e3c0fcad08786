#include "glassformer/checkpoint/safetensors.hpp"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "glassformer/checkpoint/safetensors_header.hpp"
#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/json_file.hpp"
#include "glassformer/files/suggestion.hpp"

namespace glassformer {

namespace fs = std::filesystem;
using nlohmann::json;
static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");
static_assert(sizeof(float) == 4);

namespace {

constexpr std::uint64_t kLongestHeader = 1U << 24;  // a tensor takes about 100 bytes

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
      throw SafetensorsDamage("the file became shorter while it was being read");
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
    throw SafetensorsDamage(
        "expected the model, found a pointer to it, as Git LFS stores it; get the file itself with git lfs pull");
  }
  if (file_size < kLengthBytes) {
    throw SafetensorsDamage(fmt::format("it has only {} bytes. {}", file_size, truncated));
  }
  std::uint64_t length = 0;
  read_at(file, &length, kLengthBytes, 0);
  if (length > file_size - kLengthBytes) {
    throw SafetensorsDamage(fmt::format("it claims to have a header of {} bytes, but has {} bytes in all. {}", length,
                                        file_size, truncated));
  }
  if (length > kLongestHeader) {
    throw SafetensorsDamage(fmt::format("expected a header of at most {} bytes, found {}", kLongestHeader, length));
  }
  std::string text(length, '\0');
  read_at(file, text.data(), length, kLengthBytes);
  return text;
}

}  // namespace

Safetensors::Safetensors(const fs::path& file) try : file_(open_checkpoint_file(file)) {
  const auto file_size = fs::file_size(file);
  const std::string text = read_header(file_, file_size);
  const json header = parse_json(text, file.string());
  if (header.contains("__metadata__")) {
    metadata_ = header["__metadata__"].get<Metadata>();
  }
  const std::size_t data_begin = kLengthBytes + text.size();
  tensors_ = read_entries(header, static_cast<Index>(data_begin), static_cast<Index>(file_size - data_begin));
} catch (const SafetensorsDamage& damage) {
  throw UserError(file.string() + ": " + damage.what() + ".");
} catch (const json::exception& error) {
  throw UserError(file.string() + ": its JSON header is damaged: " + brief(error.what(), 200) + ".");
} catch (const fs::filesystem_error& error) {
  throw_disk_error("cannot be read", file, error.code());
}

const Safetensors::Tensor* Safetensors::find(const std::string& name) const {
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
  throw SafetensorsDamage(
      fmt::format("expected finite numbers, found NaN or infinity ({} of {} numbers in tensor {}). The model is "
                  "damaged, or its training diverged: use another checkpoint",
                  wrong, numbers.size(), in_quotes(tensor.name)));
} catch (const SafetensorsDamage& damage) {
  throw UserError(file_.path().string() + ": " + damage.what() + ".");
}

std::vector<float> Safetensors::read(const Tensor& tensor) const {
  std::vector<float> numbers(static_cast<std::size_t>(tensor.size));
  read(tensor, numbers);
  return numbers;
}

}  // namespace glassformer
