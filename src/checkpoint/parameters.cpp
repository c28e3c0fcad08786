#include "glassformer/checkpoint/parameters.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "glassformer/checkpoint/checksums.hpp"
#include "glassformer/checkpoint/file_names.hpp"
#include "glassformer/checkpoint/safetensors.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/marian/marian_tensors.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

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
    if (const std::vector<std::string> lines = differences(); !lines.empty()) {
      refuse(directory / kModelFile, lines);
    }
  }

  void read(float* values) const {
    for (const TensorPlace& tensor : tensors_) {  // without padding
      file_.read(*find(tensor.name), {values + tensor.offset, static_cast<std::size_t>(tensor.size)});
    }
  }

 private:
  /// One line for each tensor that is missing, has another shape or is not part of the model.
  std::vector<std::string> differences() const {
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
    return lines;
  }

  /// Finds a tensor of the model in the file, under any of its names; null if it is missing.
  const Stored* find(const std::string& name) const {
    const Stored* found = file_.find(name);
    for (const auto& [own, other] : tied_names()) {
      if (found == nullptr && own == name && !is_in_model(tensors_, other)) {
        found = file_.find(std::string(other));
      }
    }
    return found;
  }

  /// Whether other tools added this tensor: a table of positions, which we compute, or a copy of a tied matrix.
  bool can_be_ignored(const Stored& extra) const {
    const std::string& name = extra.name;
    if (is_position_table(name)) {
      return true;
    }
    return std::ranges::any_of(tied_names(), [&](const Tied& tied) {
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

}  // namespace

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
