#pragma once

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "glassformer/model/transformer.hpp"
#include "glassformer/training/settings.hpp"

/// PyTorch's results for one model and one batch, as recorded by scripts/fixtures/make_torch_fixtures.py.
namespace glassformer::pytorch {

using nlohmann::json;

inline json fixture(const std::string& name) {
  std::ifstream file(GLASSFORMER_SOURCE_DIR "/tests/fixtures/torch/" + name + ".json");
  return json::parse(file);
}

inline TransformerSettings settings(const json& fixture) {
  const std::map<std::string, Norm> norms{{"post", Norm::post}, {"pre", Norm::pre}};
  const std::map<std::string, Activation> activations{
      {"relu", Activation::relu}, {"gelu", Activation::gelu}, {"swish", Activation::swish}};
  const std::map<std::string, Tying> tyings{{"none", Tying::none}, {"target", Tying::target}, {"all", Tying::all}};
  const json& s = fixture.at("settings");
  return {.d_model = s.at("d_model"),
          .heads = s.at("heads"),
          .encoder_layers = s.at("encoder_layers"),
          .decoder_layers = s.at("decoder_layers"),
          .d_ff = s.at("d_ff"),
          .norm = norms.at(s.at("norm")),
          .activation = activations.at(s.at("activation")),
          .tied_embeddings = tyings.at(s.at("tying")),
          .dropout = 0,
          .embedding_dropout = 0,
          .attention_dropout = 0,
          .activation_dropout = 0};
}

inline VocabularyShape vocabulary(const json& fixture) {
  const json& v = fixture.at("vocabulary");
  return {.source_size = v.at("source_size"),
          .target_size = v.at("target_size"),
          .special = {{.pad = v.at("source_pad")}, {.pad = v.at("target_pad")}}};
}

inline OptimizerSettings optimizer(const json& fixture) {
  const json& adam = fixture.at("adam");
  OptimizerSettings settings{.beta1 = adam.at("beta1"),
                             .beta2 = adam.at("beta2"),
                             .epsilon = adam.at("epsilon"),
                             .clip_norm = fixture.at("settings").at("clip_norm")};
  if (fixture.contains("muon")) {
    settings.kind = OptimizerSettings::Kind::muon;
    settings.momentum = fixture.at("muon").at("momentum");
    settings.weight_decay = fixture.at("muon").at("weight_decay");
  }
  return settings;
}

inline IdMatrix ids(const json& rows) {
  const auto height = static_cast<Index>(rows.size());
  const auto width = static_cast<Index>(rows.at(0).size());
  IdMatrix ids(height, width);
  for (Index i = 0; i < height; ++i) {
    for (Index j = 0; j < width; ++j) {
      ids(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
  }
  return ids;
}

struct Batch {
  IdMatrix source, target_input, target_output;
  TransformerMasks masks;

  ModelInput input() const { return {source, target_input, target_output, masks}; }
};

inline Batch batch(const json& fixture) {
  const IdMatrix source = ids(fixture.at("source"));
  const IdMatrix target_input = ids(fixture.at("target_input"));
  return {source, target_input, ids(fixture.at("target_output")),
          make_masks(source, target_input, vocabulary(fixture).special)};
}

/// [rows, cols] or [size], as in TensorPlace.
inline std::vector<Index> shape(const json& tensor) {
  if (!tensor.at(0).is_array()) {
    return {static_cast<Index>(tensor.size())};
  }
  return {static_cast<Index>(tensor.size()), static_cast<Index>(tensor.at(0).size())};
}

/// The numbers of a tensor, row by row.
inline RowVector<double> numbers(const json& tensor) {
  std::vector<double> numbers;
  for (const json& row : tensor) {
    if (row.is_array()) {
      numbers.insert(numbers.end(), row.begin(), row.end());
    } else {
      numbers.push_back(row);
    }
  }
  return Eigen::Map<RowVector<double>>(numbers.data(), static_cast<Index>(numbers.size()));
}

}  // namespace glassformer::pytorch
