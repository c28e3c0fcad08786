#include "checkpoint/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "checkpoint/checksums.hpp"
#include "config/marian_config.hpp"
#include "checkpoint/safetensors.hpp"
#include "files/durable_files.hpp"
#include "user_error.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

constexpr const char* kModelFile = "model.safetensors";

/// Marian keeps the bias of the output as a matrix of one row.
std::vector<Index> shape_in_file(const TensorPlace& tensor) {
  if (tensor.name == "final_logits_bias") return {1, tensor.size};
  return tensor.shape;
}

std::string text_of(const std::vector<Index>& shape) { return nlohmann::json(shape).dump(); }

/// A tensor that the model does not have, but that other tools write: a table of positions, which is computed
/// here, or a copy of a matrix that is tied to it, equal in every number.
bool may_be_passed_over(const TensorPlace& extra, const Safetensors& file) {
  if (extra.name == "model.encoder.embed_positions.weight" ||
      extra.name == "model.decoder.embed_positions.weight") {
    return true;
  }
  using Tied = std::pair<std::string_view, const char*>;  // a copy, and what it is a copy of
  static constexpr std::array kTied = {Tied{"lm_head.weight", "model.shared.weight"},
                                       Tied{"lm_head.weight", "model.decoder.embed_tokens.weight"},
                                       Tied{"model.encoder.embed_tokens.weight", "model.shared.weight"},
                                       Tied{"model.decoder.embed_tokens.weight", "model.shared.weight"}};
  return std::any_of(kTied.begin(), kTied.end(), [&](const Tied& tied) {
    if (extra.name != tied.first) return false;
    const TensorPlace* const original = file.find(tied.second);
    return original != nullptr && std::ranges::equal(file.values_of(extra), file.values_of(*original));
  });
}

/// One line for each thing that keeps the file from being this model.
std::vector<std::string> differences(const Safetensors& file, const std::vector<TensorPlace>& tensors) {
  std::vector<std::string> lines;
  for (const TensorPlace& tensor : tensors) {
    const TensorPlace* const found = file.find(tensor.name);
    const std::vector<Index> expected = shape_in_file(tensor);
    if (found == nullptr) {
      lines.push_back(tensor.name + " " + text_of(expected) + " is missing");
    } else if (found->shape != expected) {
      lines.push_back(tensor.name + " has the shape " + text_of(found->shape) + ", expected " +
                      text_of(expected));
    }
  }
  for (const TensorPlace& extra : file.tensors) {
    const bool known = std::any_of(tensors.begin(), tensors.end(),
                                   [&](const TensorPlace& tensor) { return tensor.name == extra.name; });
    if (!known && !may_be_passed_over(extra, file)) {
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
  std::vector<NamedTensor> model;
  for (const TensorPlace& tensor : tensors) {
    const std::span<const float> numbers(values + tensor.offset, static_cast<std::size_t>(tensor.size));
    model.push_back({tensor.name, shape_in_file(tensor), numbers});
  }
  write_directory_durably(directory, [&](const fs::path& unfinished) {
    write_file_durably(unfinished / "config.yaml", write_config(config));
    write_description(unfinished, config, tokenizers);
    if (state != nullptr) write_training_state(unfinished, *state);
    write_safetensors(unfinished / kModelFile, model);
    write_checksums(unfinished);
  });
}

void write_description(const fs::path& directory, const Config& config, const TokenizerPair& tokenizers) {
  write_file_durably(directory / "config.json", marian_config(config, tokenizers));
  write_file_durably(directory / "generation_config.json", marian_generation_config(config, tokenizers));
  write_file_durably(directory / "tokenizer_config.json", marian_tokenizer_config(config, tokenizers));
  save_tokenizers(config.tokenizer, tokenizers, directory);
}

bool is_checkpoint(const fs::path& directory) {
  std::error_code ignored;
  return !is_unfinished_name(directory) && fs::is_regular_file(directory / kModelFile, ignored);
}

void read_parameters(const fs::path& directory, const std::vector<TensorPlace>& tensors, float* values) {
  const Safetensors file = read_safetensors(directory / kModelFile);
  require_match(file, tensors, directory / kModelFile);
  for (const TensorPlace& tensor : tensors) {
    std::ranges::copy(file.values_of(*file.find(tensor.name)), values + tensor.offset);
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
