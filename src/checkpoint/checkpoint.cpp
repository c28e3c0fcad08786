#include "checkpoint/checkpoint.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cassert>
#include <deque>
#include <nlohmann/json.hpp>
#include <string_view>

#include "checkpoint/safetensors.hpp"
#include "files/durable_files.hpp"
#include "files/user_error.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

constexpr const char* kOutputBias = "final_logits_bias";

// transformers 4 refuses a model whose source and target tables have different sizes, so the file pads the smaller ones
// with rows of zeros. The bias of their logits makes their probability 0 in single precision; a power of two, it is
// finite and exact in half precision and in bfloat16 as well.
constexpr float kPaddingBias = -8192;

/// How the file has a tensor. The shapes differ in the tables of the smaller vocabulary.
struct Stored {
  std::vector<Index> shape, padded_shape;
  float padding;
};

bool has_entry_per_token(const std::string& name) {
  return name == "model.encoder.embed_tokens.weight" || name == "model.decoder.embed_tokens.weight" ||
         name == "lm_head.weight" || name == kOutputBias;
}

std::vector<Stored> stored(const std::vector<TensorPlace>& tensors) {
  Index vocabulary = 0;  // the larger one
  for (const TensorPlace& tensor : tensors)
    if (has_entry_per_token(tensor.name)) vocabulary = std::max(vocabulary, tensor.shape.front());
  std::vector<Stored> result;
  for (const TensorPlace& tensor : tensors) {
    const bool is_bias = tensor.name == kOutputBias;
    std::vector<Index> shape = tensor.shape;
    if (is_bias) shape = {1, tensor.size};  // Marian keeps it as a matrix of one row
    Stored& entry = result.emplace_back(Stored{shape, shape, is_bias ? kPaddingBias : 0});
    if (has_entry_per_token(tensor.name)) entry.padded_shape[is_bias ? 1 : 0] = vocabulary;
  }
  return result;
}

/// Two names of a tied matrix: the model's own, and one that other tools know it by.
struct Tied {
  std::string_view own, other;
};
constexpr Tied kTied[] = {{"model.shared.weight", "lm_head.weight"},
                          {"model.shared.weight", "model.encoder.embed_tokens.weight"},
                          {"model.shared.weight", "model.decoder.embed_tokens.weight"},
                          {"model.decoder.embed_tokens.weight", "lm_head.weight"}};

bool is_part(const std::vector<TensorPlace>& tensors, std::string_view name) {
  return std::ranges::any_of(tensors, [&](const TensorPlace& tensor) { return tensor.name == name; });
}

/// A tensor of the model in the file, under any of its names; null: missing.
const TensorPlace* find(const Safetensors& file, const std::vector<TensorPlace>& tensors, const std::string& name) {
  const TensorPlace* found = file.find(name);
  for (const auto& [own, other] : kTied) {
    const bool may_be = own == name && !is_part(tensors, other);
    if (found == nullptr && may_be) found = file.find(std::string(other));
  }
  return found;
}

/// A tensor that other tools add: a table of positions, which is computed here, or a copy of a tied matrix.
bool may_be_passed_over(const TensorPlace& extra, const Safetensors& file, const std::vector<TensorPlace>& tensors) {
  if (extra.name == "model.encoder.embed_positions.weight" || extra.name == "model.decoder.embed_positions.weight")
    return true;
  return std::ranges::any_of(kTied, [&](const Tied& tied) {
    if (extra.name != tied.other || !is_part(tensors, tied.own)) return false;
    const TensorPlace* const own = find(file, tensors, std::string(tied.own));
    return own != nullptr && std::ranges::equal(file.values_of(extra), file.values_of(*own));
  });
}

/// Whether a tensor of the file is this one, with or without padding. (Another vocabulary has words in its place.)
bool fits(const TensorPlace& found, const Stored& expected, Index size, const Safetensors& file) {
  if (found.shape == expected.shape) return true;
  const auto padding = file.values_of(found).subspan(static_cast<std::size_t>(std::min(size, found.size)));
  return found.shape == expected.padded_shape &&
         std::ranges::all_of(padding, [&](float x) { return expected.padding == 0 ? x == 0 : x <= expected.padding; });
}

/// \throws UserError with a line for each difference
void require_match(const Safetensors& file, const std::vector<TensorPlace>& tensors, const fs::path& path) {
  const auto text_of = [](const std::vector<Index>& shape) { return nlohmann::json(shape).dump(); };
  std::vector<std::string> lines;
  const std::vector<Stored> expected = stored(tensors);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorPlace* const found = find(file, tensors, tensors[i].name);
    const std::string shape = text_of(expected[i].shape);
    if (found == nullptr)
      lines.push_back(fmt::format("{} {} is missing", tensors[i].name, shape));
    else if (!fits(*found, expected[i], tensors[i].size, file))
      lines.push_back(fmt::format("{} has the shape {}, expected {}", tensors[i].name, text_of(found->shape), shape));
  }
  for (const TensorPlace& extra : file.tensors)
    if (!is_part(tensors, extra.name) && !may_be_passed_over(extra, file, tensors))
      lines.push_back(fmt::format("{} {} is not part of the model", extra.name, text_of(extra.shape)));
  if (lines.empty()) return;
  constexpr std::size_t kShown = 8;
  const std::size_t more = lines.size() - std::min(lines.size(), kShown);
  lines.resize(lines.size() - more);
  if (more > 0) lines.push_back(fmt::format("and {} more differences", more));
  throw UserError(fmt::format("{}: these are not the parameters of the model that the config describes:\n  {}",
                              path.string(), fmt::join(lines, "\n  ")));
}

/// The tensors as the file holds them. Those with padding are copied into `padded`.
std::vector<NamedTensor> tensors_for_file(const Arena<float>& weights, std::deque<std::vector<float>>& padded) {
  std::vector<NamedTensor> result;
  for (const Stored& entry : stored(weights.tensors())) {
    const TensorPlace& tensor = weights.tensors()[result.size()];
    std::span<const float> numbers(weights.values(tensor).data(), static_cast<std::size_t>(tensor.size));
    if (entry.padded_shape != entry.shape) {
      padded.emplace_back(numbers.begin(), numbers.end());
      padded.back().resize(static_cast<std::size_t>(entry.padded_shape[0] * entry.padded_shape[1]), entry.padding);
      numbers = padded.back();
    }
    result.push_back({tensor.name, entry.padded_shape, numbers});
  }
  return result;
}

}  // namespace

void save_checkpoint(const fs::path& directory, const ModelDescription& description, const Arena<float>& weights,
                     const TrainingState* state) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(directory, ignored)) && !is_checkpoint(directory)) {
    throw UserError(
        fmt::format("{}: expected nothing here, or a checkpoint to be replaced, found none (no {}). Move what is here "
                    "away, or choose another place.",
                    directory.string(), kModelFile));
  }
  std::deque<std::vector<float>> padded;
  const std::vector<NamedTensor> model = tensors_for_file(weights, padded);
  write_directory_durably(directory, [&](const fs::path& unfinished) {
    for (const auto& [name, text] : description.configs) write_file_durably(unfinished / name, text);
    save_tokenizers(description.tokenizer, description.tokenizers, unfinished);
    if (state != nullptr) write_training_state(unfinished, *state);
    write_safetensors(unfinished / kModelFile, model);
    write_checksums(unfinished);
  });
}

bool is_checkpoint(const fs::path& directory) {
  std::error_code ignored;
  return !is_unfinished_name(directory) && fs::is_regular_file(directory / kModelFile, ignored);
}

void read_parameters(const fs::path& directory, const std::vector<TensorPlace>& tensors, float* values) {
  const Safetensors file = read_safetensors(directory / kModelFile);
  require_match(file, tensors, directory / kModelFile);
  for (const TensorPlace& tensor : tensors) {
    const std::span<const float> numbers = file.values_of(*find(file, tensors, tensor.name));
    std::ranges::copy(numbers.first(static_cast<std::size_t>(tensor.size)), values + tensor.offset);  // no padding
  }
}

void average_parameters(const std::vector<fs::path>& directories, const std::vector<TensorPlace>& tensors,
                        float* values) {
  assert(!directories.empty() && !tensors.empty());
  const auto n = static_cast<std::size_t>(tensors.back().offset + tensors.back().size);
  std::vector<double> sum(n, 0);
  std::vector<float> one(n);
  for (const fs::path& directory : directories) {
    read_parameters(verify_checksums(directory, Verify::but_training_state), tensors, one.data());
    for (std::size_t i = 0; i < n; ++i) sum[i] += static_cast<double>(one[i]);
  }
  const auto count = static_cast<double>(directories.size());
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(sum[i] / count);
}

void set_starting_weights(Model<float>& model, const fs::path& from, std::uint64_t seed) {
  if (from.empty()) return initialize(model, seed);
  const fs::path verified = verify_checksums(from, Verify::but_training_state);
  read_parameters(verified, model.weights.tensors(), model.weights.values().data());
}

}  // namespace glassformer
