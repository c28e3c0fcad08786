#include "checkpoint/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <deque>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "checkpoint/checksums.hpp"
#include "checkpoint/safetensors.hpp"
#include "files/durable_files.hpp"
#include "files/user_error.hpp"
#include "marian/marian_config.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

constexpr const char* kModelFile = "model.safetensors";
constexpr const char* kOutputBias = "final_logits_bias";

// transformers 4 refuses a model whose source and target tables have different sizes. So the file pads the tables of
// the smaller vocabulary with rows of zeros. On the target side, the logits of this padding get a bias that makes their
// probability exactly 0 in single precision, and that is finite even in half precision.
constexpr float kPaddingBias = -1e4F;

bool has_entry_per_token(const TensorPlace& tensor) {
  return tensor.name == "model.encoder.embed_tokens.weight" || tensor.name == "model.decoder.embed_tokens.weight" ||
         tensor.name == "lm_head.weight" || tensor.name == kOutputBias;
}

/// The size of the larger vocabulary.
Index largest_vocabulary(const std::vector<TensorPlace>& tensors) {
  Index largest = 0;
  for (const TensorPlace& tensor : tensors) {
    if (has_entry_per_token(tensor)) largest = std::max(largest, tensor.shape.front());
  }
  return largest;
}

/// Marian keeps the bias of the output as a matrix of one row.
std::vector<Index> shape_without_padding(const TensorPlace& tensor) {
  if (tensor.name == kOutputBias) return {1, tensor.size};
  return tensor.shape;
}

std::vector<Index> padded_shape(const TensorPlace& tensor, Index vocabulary) {
  std::vector<Index> shape = shape_without_padding(tensor);
  if (has_entry_per_token(tensor)) shape[tensor.name == kOutputBias ? 1 : 0] = vocabulary;
  return shape;
}

std::string text_of(const std::vector<Index>& shape) { return nlohmann::json(shape).dump(); }

/// Names of one matrix where it is tied: the model's own, and another one that other tools know it by.
struct Tied {
  std::string_view own, other;
};
constexpr std::array kTied = {Tied{"model.shared.weight", "lm_head.weight"},
                              Tied{"model.shared.weight", "model.encoder.embed_tokens.weight"},
                              Tied{"model.shared.weight", "model.decoder.embed_tokens.weight"},
                              Tied{"model.decoder.embed_tokens.weight", "lm_head.weight"}};

bool is_part(const std::vector<TensorPlace>& tensors, std::string_view name) {
  return std::ranges::any_of(tensors, [&](const TensorPlace& tensor) { return tensor.name == name; });
}

/// A tensor of the model in the file, be it by another of its names; null: missing.
const TensorPlace* find(const Safetensors& file, const std::vector<TensorPlace>& tensors, const std::string& name) {
  const TensorPlace* found = file.find(name);
  for (const Tied& tied : kTied) {
    const bool may_be = tied.own == name && !is_part(tensors, tied.other);
    if (found == nullptr && may_be) found = file.find(std::string(tied.other));
  }
  return found;
}

/// A tensor that the model does not have, but that other tools write: a table of positions, which is computed
/// here, or a copy of a matrix that is tied to it, equal in every number.
bool may_be_passed_over(const TensorPlace& extra, const Safetensors& file, const std::vector<TensorPlace>& tensors) {
  if (extra.name == "model.encoder.embed_positions.weight" ||
      extra.name == "model.decoder.embed_positions.weight") {
    return true;
  }
  return std::ranges::any_of(kTied, [&](const Tied& tied) {
    if (extra.name != tied.other || !is_part(tensors, tied.own)) return false;
    const TensorPlace* const own = find(file, tensors, std::string(tied.own));
    return own != nullptr && std::ranges::equal(file.values_of(extra), file.values_of(*own));
  });
}

float padding_of(const TensorPlace& tensor) { return tensor.name == kOutputBias ? kPaddingBias : 0; }

/// Whether a tensor of the file is this one, with or without padding. A table for another vocabulary has words where
/// padding belongs.
bool fits(const TensorPlace& tensor, const TensorPlace& found, const Safetensors& file, Index vocabulary) {
  if (found.shape == shape_without_padding(tensor)) return true;
  const auto padding = file.values_of(found).subspan(static_cast<std::size_t>(std::min(tensor.size, found.size)));
  return found.shape == padded_shape(tensor, vocabulary) &&
         std::ranges::all_of(padding, [&](float number) { return number == padding_of(tensor); });
}

/// One line for each thing that keeps the file from being this model.
std::vector<std::string> differences(const Safetensors& file, const std::vector<TensorPlace>& tensors) {
  std::vector<std::string> lines;
  const Index vocabulary = largest_vocabulary(tensors);
  for (const TensorPlace& tensor : tensors) {
    const TensorPlace* const found = find(file, tensors, tensor.name);
    const std::vector<Index> expected = shape_without_padding(tensor);
    if (found == nullptr) {
      lines.push_back(tensor.name + " " + text_of(expected) + " is missing");
    } else if (!fits(tensor, *found, file, vocabulary)) {
      lines.push_back(tensor.name + " has the shape " + text_of(found->shape) + ", expected " +
                      text_of(expected));
    }
  }
  for (const TensorPlace& extra : file.tensors) {
    if (!is_part(tensors, extra.name) && !may_be_passed_over(extra, file, tensors)) {
      lines.push_back(extra.name + " " + text_of(extra.shape) + " is not part of the model");
    }
  }
  return lines;
}

void require_match(const Safetensors& file, const std::vector<TensorPlace>& tensors, const fs::path& path) {
  constexpr std::size_t kShown = 8;
  const std::vector<std::string> lines = differences(file, tensors);
  if (lines.empty()) return;
  std::string message =
      path.string() + ": these are not the parameters of the model that the config describes:";
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i) message += "\n  " + lines[i];
  if (lines.size() > kShown)
    message += "\n  and " + std::to_string(lines.size() - kShown) + " more differences";
  throw UserError(message);
}

/// The tensors as the file holds them. Those with padding are copied into `padded`.
std::vector<NamedTensor> tensors_for_file(const std::vector<TensorPlace>& tensors, const float* values,
                                          std::deque<std::vector<float>>& padded) {
  const Index vocabulary = largest_vocabulary(tensors);
  std::vector<NamedTensor> result;
  for (const TensorPlace& tensor : tensors) {
    std::span<const float> numbers(values + tensor.offset, static_cast<std::size_t>(tensor.size));
    std::vector<Index> shape = padded_shape(tensor, vocabulary);
    if (shape != shape_without_padding(tensor)) {
      padded.emplace_back(numbers.begin(), numbers.end());
      padded.back().resize(static_cast<std::size_t>(shape[0] * shape[1]), padding_of(tensor));
      numbers = padded.back();
    }
    result.push_back({tensor.name, std::move(shape), numbers});
  }
  return result;
}

}  // namespace

void save_checkpoint(const fs::path& directory, const Config& config, const TokenizerPair& tokenizers,
                     const std::vector<TensorPlace>& tensors, const float* values,
                     const TrainingStateView* state) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(directory, ignored)) && !is_checkpoint(directory)) {
    throw UserError(directory.string() +
                    ": a checkpoint is to be written here, but what stands here is none (it "
                    "has no " +
                    kModelFile + "). Move it away, or choose another place.");
  }
  std::deque<std::vector<float>> padded;
  const std::vector<NamedTensor> model = tensors_for_file(tensors, values, padded);
  const MarianSettings marian{config.data, config.tokenizer, config.model, config.decoding};
  write_directory_durably(directory, [&](const fs::path& unfinished) {
    write_file_durably(unfinished / "config.yaml", write_config(config));
    write_file_durably(unfinished / "config.json", marian_config(marian, tokenizers));
    write_file_durably(unfinished / "generation_config.json", marian_generation_config(marian, tokenizers));
    write_file_durably(unfinished / "tokenizer_config.json", marian_tokenizer_config(marian, tokenizers));
    save_tokenizers(config.tokenizer, tokenizers, unfinished);
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
    verify_checksums(directory, Verify::but_training_state);
    read_parameters(directory, tensors, one.data());
    for (std::size_t i = 0; i < n; ++i) sum[i] += static_cast<double>(one[i]);
  }
  const auto count = static_cast<double>(directories.size());
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(sum[i] / count);
}

}  // namespace glassformer
