#include "checkpoint/checkpoint.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cassert>
#include <deque>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "checkpoint/safetensors.hpp"
#include "files/durable_files.hpp"
#include "files/suggestion.hpp"
#include "files/user_error.hpp"

namespace glassformer {

namespace fs = std::filesystem;

namespace {

constexpr const char* kOutputBias = "final_logits_bias";

// transformers 4 refuses a model whose source and target tables have different sizes, so in the file we pad the smaller
// vocabulary's tables with rows of zeros. The bias of the padding's logits makes its probability 0 in single precision.
// The bias is a power of two within the range of half precision and bfloat16, so it is exact there too.
constexpr float kPaddingBias = -8192;

/// How the file stores a tensor. The two shapes differ only for the tables of the smaller vocabulary.
struct StoredTensor {
  std::vector<Index> shape, padded_shape;
  float padding;
};

bool has_entry_per_token(const std::string& name) {
  return name == "model.encoder.embed_tokens.weight" || name == "model.decoder.embed_tokens.weight" ||
         name == "lm_head.weight" || name == kOutputBias;
}

std::vector<StoredTensor> stored_tensors(const std::vector<TensorPlace>& tensors) {
  Index vocabulary = 0;  // the larger one
  for (const TensorPlace& tensor : tensors) {
    if (has_entry_per_token(tensor.name)) {
      vocabulary = std::max(vocabulary, tensor.shape.front());
    }
  }
  std::vector<StoredTensor> result;
  for (const TensorPlace& tensor : tensors) {
    const bool is_bias = tensor.name == kOutputBias;
    std::vector<Index> shape = tensor.shape;
    if (is_bias) {
      shape = {1, tensor.size};  // Marian stores it as a matrix with one row
    }
    StoredTensor& entry = result.emplace_back(StoredTensor{shape, shape, is_bias ? kPaddingBias : 0});
    if (has_entry_per_token(tensor.name)) {
      entry.padded_shape[is_bias ? 1 : 0] = vocabulary;
    }
  }
  return result;
}

/// Two names for a tied matrix: the one in our models, and one that other tools use.
struct Tied {
  std::string_view own, other;
};
constexpr Tied kTied[] = {{"model.shared.weight", "lm_head.weight"},
                          {"model.shared.weight", "model.encoder.embed_tokens.weight"},
                          {"model.shared.weight", "model.decoder.embed_tokens.weight"},
                          {"model.decoder.embed_tokens.weight", "lm_head.weight"}};

bool is_in_model(const std::vector<TensorPlace>& tensors, std::string_view name) {
  return std::ranges::any_of(tensors, [&](const TensorPlace& tensor) { return tensor.name == name; });
}

using Stored = Safetensors::Tensor;

/// A checkpoint's model.safetensors, whose names and shapes match the tensors of a model.
class ParameterFile {
 public:
  /// \throws UserError with one line for each difference
  ParameterFile(const fs::path& directory, std::vector<TensorPlace> tensors)
      : file_(directory / kModelFile), tensors_(std::move(tensors)) {
    const auto text_of = [](const std::vector<Index>& shape) { return brief(nlohmann::json(shape).dump()); };
    std::vector<std::string> lines;
    std::set<const Stored*> used;
    const std::vector<StoredTensor> expected = stored_tensors(tensors_);
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const TensorPlace& tensor = tensors_[i];
      const Stored* const found = find(tensor.name);
      const std::string shape = text_of(expected[i].shape);
      used.insert(found);
      if (found == nullptr) {
        lines.push_back(fmt::format("{} {} is missing", tensor.name, shape));
      } else if (!fits(*found, expected[i], tensor.size)) {
        lines.push_back(fmt::format("{} has the shape {}, expected {}", tensor.name, text_of(found->shape), shape));
      }
    }
    for (const Stored& extra : file_.tensors()) {
      if (!used.contains(&extra) && !can_be_ignored(extra)) {
        lines.push_back(fmt::format("{} {} is not part of the model", brief(extra.name), text_of(extra.shape)));
      }
    }
    if (!lines.empty()) {
      refuse(directory / kModelFile, lines);
    }
  }

  void read(float* values) const {
    for (const TensorPlace& tensor : tensors_) {  // without padding
      file_.read(*find(tensor.name), {values + tensor.offset, static_cast<std::size_t>(tensor.size)});
    }
  }

 private:
  /// Finds a tensor of the model in the file, under any of its names; null if it is missing.
  const Stored* find(const std::string& name) const {
    const Stored* found = file_.find(name);
    for (const auto& [own, other] : kTied) {
      if (found == nullptr && own == name && !is_in_model(tensors_, other)) {
        found = file_.find(std::string(other));
      }
    }
    return found;
  }

  /// Whether other tools added this tensor: a table of positions, which we compute, or a copy of a tied matrix.
  bool can_be_ignored(const Stored& extra) const {
    const std::string& name = extra.name;
    if (name == "model.encoder.embed_positions.weight" || name == "model.decoder.embed_positions.weight") {
      return true;
    }
    return std::ranges::any_of(kTied, [&](const Tied& tied) {
      if (name != tied.other || !is_in_model(tensors_, tied.own)) {
        return false;
      }
      const Stored* const own = find(std::string(tied.own));
      return own != nullptr && extra.shape == own->shape && file_.read(extra) == file_.read(*own);
    });
  }

  /// Whether a tensor in the file fits, padded or not. (If the padding holds words, the vocabulary is a different one.)
  bool fits(const Stored& found, const StoredTensor& expected, Index size) const {
    if (found.shape == expected.shape) {
      return true;
    }
    if (found.shape != expected.padded_shape) {
      return false;
    }
    std::vector<float> padding(static_cast<std::size_t>(found.size - size));
    file_.read(found, padding, size);
    return std::ranges::all_of(padding,
                               [&](float x) { return expected.padding == 0 ? x == 0 : x <= expected.padding; });
  }

  [[noreturn]] static void refuse(const fs::path& path, std::vector<std::string> lines) {
    constexpr std::size_t kShown = 8;
    const std::size_t more = lines.size() - std::min(lines.size(), kShown);
    lines.resize(lines.size() - more);
    if (more > 0) {
      lines.push_back(fmt::format("and {} more", more));
    }
    throw UserError(fmt::format("{}: expected the parameters of the model that the config describes, found:\n  {}",
                                path.string(), fmt::join(lines, "\n  ")));
  }

  Safetensors file_;
  const std::vector<TensorPlace> tensors_;
};

/// The tensors as the file stores them. Those with padding are copied into `padded`.
std::vector<NamedTensor> tensors_for_file(const Arena<float>& weights, std::deque<std::vector<float>>& padded) {
  std::vector<NamedTensor> result;
  for (const StoredTensor& entry : stored_tensors(weights.tensors())) {
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

/// Copies the files of others, which are in a checkpoint that is to be replaced, to the new one.
void keep_other_files(const fs::path& replaced, const fs::path& unfinished) {
  const std::vector<std::string> others = other_files_in(replaced);
  for (const std::string& name : others) {
    fs::copy(replaced / name, unfinished / name, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
  if (!others.empty()) {
    spdlog::warn(
        "{}: written anew; it keeps files that this program did not write, and which may not fit it any more: {}",
        replaced.string(), listed(others));
  }
}

}  // namespace

void save_checkpoint(const fs::path& directory, const DescribeModel& describe, const Arena<float>& weights,
                     const TrainingState* state) {
  std::error_code ignored;
  const bool replaces = fs::exists(fs::symlink_status(directory, ignored));
  if (replaces && !is_checkpoint(directory)) {
    throw UserError(
        fmt::format("{}: expected nothing here, or a checkpoint to replace, found something else (no {}). Move it "
                    "elsewhere, or choose another place.",
                    directory.string(), kModelFile));
  }
  std::deque<std::vector<float>> padded;
  const std::vector<NamedTensor> model = tensors_for_file(weights, padded);
  write_directory_durably(directory, [&](const fs::path& unfinished) {
    describe(unfinished);
    if (state != nullptr) {
      write_training_state(unfinished, *state);
    }
    write_safetensors(unfinished / kModelFile, model);
    write_checksums(unfinished);
    if (replaces) {
      keep_other_files(directory, unfinished);
    }
  });
}

bool is_checkpoint(const fs::path& directory) {
  std::error_code reason;
  const fs::file_status status = fs::status(directory / kModelFile, reason);
  if (status.type() == fs::file_type::none) {
    throw_disk_error("cannot be read", directory / kModelFile, reason);
  }
  return !is_unfinished_name(directory) && fs::is_regular_file(status);
}

void read_parameters(const fs::path& directory, const std::vector<TensorPlace>& tensors, float* values) {
  ParameterFile(directory, tensors).read(values);
}

void check_parameters(const fs::path& directory, const TransformerSettings& settings,
                      const VocabularyShape& vocabulary) {
  ParameterFile(directory, Transformer<float>(settings, vocabulary).tensors());
}

Model<float> load_model(const fs::path& directory, const TransformerSettings& settings,
                        const VocabularyShape& vocabulary) {
  const ParameterFile file(directory, Transformer<float>(settings, vocabulary).tensors());
  Model<float> model(settings, vocabulary);  // allocated only after the file has been checked
  file.read(model.weights.values().data());
  return model;
}

void average_parameters(const std::vector<fs::path>& directories, const std::vector<TensorPlace>& tensors,
                        float* values) {
  assert(!directories.empty() && !tensors.empty());
  const auto n = static_cast<std::size_t>(tensors.back().offset + tensors.back().size);
  std::vector<double> sum(n, 0);
  std::vector<float> weights(n);
  for (const fs::path& directory : directories) {
    read_parameters(verify_checksums(directory, Verify::but_training_state), tensors, weights.data());
    for (std::size_t i = 0; i < n; ++i) {
      sum[i] += static_cast<double>(weights[i]);
    }
  }
  const auto count = static_cast<double>(directories.size());
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(sum[i] / count);
  }
}

void set_starting_weights(Model<float>& model, const fs::path& from, std::uint64_t seed) {
  if (from.empty()) {
    return initialize(model, seed);
  }
  const fs::path verified = verify_checksums(from, Verify::but_training_state);
  read_parameters(verified, model.weights.tensors(), model.weights.values().data());
}

}  // namespace glassformer
