#pragma once

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/safetensors.hpp"
#include "glassformer/checkpoint/training_state.hpp"
#include "glassformer/numerics/arena.hpp"
#include "glassformer/setup/training_setup.hpp"
#include "glassformer/text/tokenizer.hpp"
#include "temporary_directory.hpp"

/// Small substitutes for a model and its tokenizers, for the tests of checkpoints.
namespace glassformer::stand_in {

namespace fs = std::filesystem;

using test::complaint;
using test::TemporaryDirectory;

inline std::string read_bytes(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

/// The tensors of a file, in the order of their data.
inline std::vector<Safetensors::Tensor> tensors_in_order(const Safetensors& file) {
  std::vector<Safetensors::Tensor> tensors = file.tensors();
  std::ranges::sort(tensors, {}, &Safetensors::Tensor::begin);
  return tensors;
}

/// The tensors of a model file, so that a test can change and rewrite them. Their numbers stay until the program ends.
inline std::vector<NamedTensor> tensors_of(const Safetensors& file) {
  static std::deque<std::vector<float>> numbers;
  std::vector<NamedTensor> tensors;
  for (const Safetensors::Tensor& tensor : tensors_in_order(file)) {
    tensors.push_back({tensor.name, tensor.shape, numbers.emplace_back(file.read(tensor))});
  }
  return tensors;
}

inline void write_bytes(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

/// The number of entries in a directory, hidden ones included.
inline Index count_entries(const fs::path& directory) {
  return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
}

/// A matcher for messages that contain this text; Catch2 renamed it in version 3.
inline auto Says(const std::string& text) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(text);
#else
  return Catch::Matchers::Contains(text);
#endif
}

/// Has no words, but can be saved.
class Tokenizer : public glassformer::Tokenizer {
 public:
  explicit Tokenizer(Index size, SpecialIds special = {}) : size_(size), special_(special) {}
  std::vector<Id> encode(std::string_view) const override { return {}; }
  std::string decode(std::span<const Id>) const override { return ""; }
  std::vector<std::string> unknown(std::string_view) const override { return {}; }
  std::string piece(Id) const override { return ""; }
  Index vocabulary_size() const override { return size_; }
  SpecialIds special() const override { return special_; }
  void save(const fs::path& directory, const std::string& name) const override {
    write_bytes(directory / (name + ".stand_in"), std::to_string(size_));
  }

 private:
  Index size_;
  SpecialIds special_;
};

inline TokenizerPair tokenizers(Index source_size = 5, Index target_size = 3) {
  return {std::make_shared<Tokenizer>(source_size), std::make_shared<Tokenizer>(target_size)};
}

inline DescribeModel description(const TokenizerPair& pair = tokenizers()) {
  return [pair](const fs::path& directory) { describe_model({}, pair, directory); };
}

/// Three tensors with names and shapes as in a model, but without the model.
struct SmallArena : Arena<float> {
  SmallArena()
      : Arena({{.name = "model.shared.weight", .shape = {3, 2}, .role = Role::source_embedding, .offset = 0, .size = 6},
               {.name = "model.encoder.layers.0.fc1.weight",
                .shape = {2, 2},
                .role = Role::projection,
                .offset = 6,
                .size = 4},
               {.name = "final_logits_bias", .shape = {3}, .role = Role::output_bias, .offset = 10, .size = 3}}) {}
};

/// Numbers that are all different; each `salt` gives a different set.
inline void fill(SmallArena& arena, float salt = 0) {
  for (Index i = 0; i < arena.size(); ++i) {
    arena.values()[i] = 0.1F * static_cast<float>(i + 1) + salt;
  }
}

/// A training state that has been read.
struct ReadState {
  std::vector<float> adam_m, adam_v;
  RunProgress progress;
};
inline ReadState read_state(const fs::path& directory, Index parameters) {
  const auto size = static_cast<std::size_t>(parameters);
  ReadState state{std::vector<float>(size), std::vector<float>(size), {}};
  state.progress = read_training_state(directory, state.adam_m, state.adam_v);
  return state;
}

/// Progress whose fields all differ.
inline RunProgress some_progress() {
  return {{.update = 12, .epoch = 3, .batch = 4, .skipped = 9, .skipped_in_row = 2},
          5,        // validated
          0.1,      // best_metric
          0.2,      // best_loss
          6,        // best_update
          7,        // without_best
          1.0 / 3,  // minutes
          8,        // text
          10};      // valid_text
}

}  // namespace glassformer::stand_in
