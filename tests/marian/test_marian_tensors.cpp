#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "glassformer/marian/marian_tensors.hpp"
#include "glassformer/model/model.hpp"

using namespace glassformer;

namespace {

std::vector<TensorPlace> tensors_of_model(Tying tying, Index source, Index target) {
  TransformerSettings settings;
  settings.d_model = 8;
  settings.heads = 2;
  settings.d_ff = 6;
  settings.encoder_layers = settings.decoder_layers = 1;
  settings.tied_embeddings = tying;
  return Model<float>(settings, {source, target, {}}).weights.tensors();
}

using Names = std::set<std::string>;

}  // namespace

TEST_CASE("the tables of the smaller vocabulary are padded to the size of the larger one, and no other tensor is",
          "[checkpoint]") {
  for (const auto& [source, target] : {std::pair<Index, Index>{5, 9}, {9, 5}, {7, 7}}) {
    const Index most = std::max(source, target);
    for (const Tying tying : {Tying::none, Tying::target}) {
      const std::vector<TensorPlace> tensors = tensors_of_model(tying, source, target);
      const std::vector<StoredTensor> stored = stored_tensors(tensors);
      REQUIRE(stored.size() == tensors.size());
      Names tables;
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::string& name = tensors[i].name;
        CAPTURE(source, target, name);
        if (name == "final_logits_bias") {
          tables.insert(name);
          CHECK(stored[i].shape == std::vector<Index>{1, target});
          CHECK(stored[i].padded_shape == std::vector<Index>{1, most});
          CHECK(stored[i].padding == -8192);
          continue;
        }
        CHECK(stored[i].shape == tensors[i].shape);
        CHECK(stored[i].padding == 0);
        if (name.ends_with("embed_tokens.weight") || name == "lm_head.weight") {
          tables.insert(name);
          CHECK(stored[i].padded_shape == std::vector<Index>{most, 8});
        } else {
          CHECK(stored[i].padded_shape == tensors[i].shape);
        }
      }
      Names expected = {"final_logits_bias", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"};
      if (tying == Tying::none) {
        expected.insert("lm_head.weight");
      }
      CHECK(tables == expected);
    }
  }
}

TEST_CASE("other tools know a tied matrix by the names of all tables that it replaces", "[checkpoint]") {
  const auto names_of = [](Tying tying) {
    Names names;
    for (const TensorPlace& tensor : tensors_of_model(tying, 7, 7)) {
      names.insert(tensor.name);
    }
    return names;
  };
  const Names untied = names_of(Tying::none);
  for (const Tying tying : {Tying::target, Tying::all}) {
    const Names names = names_of(tying);
    Names missing;  // the tables that another table replaces
    std::ranges::set_difference(untied, names, std::inserter(missing, missing.end()));
    Names other;
    for (const auto& [own, name] : tied_names()) {
      if (names.contains(std::string(own))) {
        other.emplace(name);
      }
    }
    CHECK(missing.size() == (tying == Tying::all ? 3 : 1));
    CHECK(other == missing);
  }
}

TEST_CASE("a table of positions belongs to the encoder or to the decoder", "[checkpoint]") {
  CHECK(is_position_table("model.encoder.embed_positions.weight"));
  CHECK(is_position_table("model.decoder.embed_positions.weight"));
  for (const char* name : {"model.embed_positions.weight", "encoder.embed_positions.weight",
                           "model.encoder.embed_positions.bias", "model.encoder.embed_tokens.weight", ""}) {
    CHECK_FALSE(is_position_table(name));
  }
}
