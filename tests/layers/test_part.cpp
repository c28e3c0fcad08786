#include "catch.hpp"
#include "glassformer/layers/part.hpp"

using namespace glassformer;

TEST_CASE("A part's name shows where in the model it is, and its tensor names begin with its prefix", "[layers]") {
  const BoundMemory<float> unused;
  Construction<float> construction{ParameterCursor<float>(unused)};
  const Part<float> whole(construction, "", "model.");
  const Part<float> encoder = whole.at("encoder");
  const Part<float> layer = encoder.layer(12);
  const Part<float> attention = layer.at("self_attn");
  CHECK(whole.name().empty());
  CHECK(layer.name() == "encoder.layers.12");
  CHECK(attention.name() == "encoder.layers.12.self_attn");
  CHECK(attention.sharing_prefix("q").name() == "encoder.layers.12.self_attn.q");

  attention.matrix("weight", 2, 3, Role::projection);
  attention.sharing_prefix("q").vector("bias", 2, Role::bias);
  whole.vector("last", 1, Role::bias);
  const auto& tensors = construction.cursor.tensors();
  REQUIRE(tensors.size() == 3);
  CHECK(tensors[0].name == "model.encoder.layers.12.self_attn.weight");
  CHECK(tensors[1].name == "model.encoder.layers.12.self_attn.bias");
  CHECK(tensors[2].name == "model.last");
}

TEST_CASE("A part knows its layer, and what letters mean in it and in the parts inside it", "[layers]") {
  const BoundMemory<float> unused;
  Construction<float> construction{ParameterCursor<float>(unused)};
  const Part<float> encoder(construction, "encoder", "", {.reads_source = true, .letters = {{"N", "B*S"}}});
  const Part<float> map = encoder.layer(3).at("fc1").with({{"out", "F"}});
  map.at("dropout").with({{"N", "B"}});
  CHECK(map.letter("out") == "F");
  CHECK(map.letter("N") == "B*S");
  CHECK(map.letter("D") == "D");

  const auto& parts = construction.parts;
  CHECK(parts.size() == 4);
  CHECK(parts.at("encoder").reads_source);
  CHECK(parts.at("encoder").letters == Letters{{"N", "B*S"}});
  CHECK_FALSE(parts.at("encoder").layer.has_value());
  CHECK(parts.at("encoder.layers.3").layer == 3);
  CHECK(parts.at("encoder.layers.3.fc1").letters == Letters{{"N", "B*S"}, {"out", "F"}});
  CHECK(parts.at("encoder.layers.3.fc1.dropout").letters == Letters{{"N", "B"}, {"out", "F"}});
  CHECK(parts.at("encoder.layers.3.fc1.dropout").layer == 3);
  CHECK(parts.at("encoder.layers.3.fc1.dropout").reads_source);
}
