#include "export/onnx_transformer.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "catch.hpp"
#include "model/example.hpp"
#include "onnx.pb.h"
#include "temporary_directory.hpp"

using namespace glassformer;
using test::complaint;
using test::contains;

namespace {

using Names = std::vector<std::string>;

/// A small model with random numbers, its two files, and what protobuf reads in them.
struct Exported {
  Transformer<float> model;
  Arena<Transformer<float>::Parameters> arena;
  std::string encoder_bytes, decoder_bytes;
  onnx::ModelProto encoder, decoder;

  explicit Exported(const TransformerSettings& settings)
      : model{settings, example::vocabulary(settings.tied_embeddings)}, arena(model.settings, model.vocabulary) {
    RandomValues random(5);
    random.fill(arena);
    encoder_bytes = onnx_encoder(model, arena);
    decoder_bytes = onnx_decoder(model, arena);
    REQUIRE(encoder.ParseFromString(encoder_bytes));
    REQUIRE(decoder.ParseFromString(decoder_bytes));
  }
};

std::vector<TransformerSettings> all_kinds() {
  std::vector<TransformerSettings> kinds;
  for (const Norm norm : {Norm::post, Norm::pre}) {
    for (const Tying tying : {Tying::none, Tying::target, Tying::all}) {
      for (const Activation activation : {Activation::relu, Activation::gelu, Activation::swish}) {
        kinds.push_back(example::settings(norm, tying, activation));
      }
    }
  }
  return kinds;
}

std::map<std::string, onnx::TensorProto> initializers(const onnx::ModelProto& model) {
  std::map<std::string, onnx::TensorProto> found;
  for (const onnx::TensorProto& tensor : model.graph().initializer()) {
    CHECK(found.emplace(tensor.name(), tensor).second);  // once, though tied
  }
  return found;
}

template <class Number>
std::vector<Number> numbers(const onnx::TensorProto& tensor) {
  std::vector<Number> values(tensor.raw_data().size() / sizeof(Number));
  std::memcpy(values.data(), tensor.raw_data().data(), tensor.raw_data().size());
  return values;
}

/// "input_ids 7 [batch_size, encoder_sequence_length]": name, type, axes.
Names said(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& values) {
  Names lines;
  for (const onnx::ValueInfoProto& value : values) {
    std::string axes;
    for (const auto& axis : value.type().tensor_type().shape().dim()) {
      axes += (axes.empty() ? "" : ", ") + (axis.has_dim_value() ? std::to_string(axis.dim_value()) : axis.dim_param());
    }
    lines.push_back(value.name() + " " + std::to_string(value.type().tensor_type().elem_type()) + " [" + axes + "]");
  }
  return lines;
}

/// The names of the nodes with this operator.
std::set<std::string> nodes(const onnx::ModelProto& model, const std::string& op) {
  std::set<std::string> found;
  for (const onnx::NodeProto& node : model.graph().node()) {
    if (node.op_type() == op) found.insert(node.name());
  }
  return found;
}

/// The tensors that this node reads.
Names inputs(const onnx::ModelProto& model, const std::string& name) {
  for (const onnx::NodeProto& node : model.graph().node()) {
    if (node.name() == name) return {node.input().begin(), node.input().end()};
  }
  return {};
}

}  // namespace

TEST_CASE("the ONNX files say what goes in and what comes out as others expect it", "[export]") {
  const Exported exported(example::settings(Norm::post, Tying::none));
  for (const onnx::ModelProto* model : {&exported.encoder, &exported.decoder}) {
    CHECK(model->ir_version() == 8);
    REQUIRE(model->opset_import_size() == 1);
    CHECK(model->opset_import(0).domain().empty());
    CHECK(model->opset_import(0).version() == 17);
    CHECK(model->producer_name() == "glassformer");
  }
  CHECK(said(exported.encoder.graph().input()) == Names{"input_ids 7 [batch_size, encoder_sequence_length]",
                                                        "attention_mask 7 [batch_size, encoder_sequence_length]"});
  CHECK(said(exported.encoder.graph().output()) ==
        Names{"last_hidden_state 1 [batch_size, encoder_sequence_length, 8]"});
  CHECK(said(exported.decoder.graph().input()) ==
        Names{"input_ids 7 [batch_size, decoder_sequence_length]",
              "encoder_attention_mask 7 [batch_size, encoder_sequence_length]",
              "encoder_hidden_states 1 [batch_size, encoder_sequence_length, 8]"});
  CHECK(said(exported.decoder.graph().output()) == Names{"logits 1 [batch_size, decoder_sequence_length, 7]"});
}

TEST_CASE("the ONNX files hold every parameter once, under its name, in its shape, bit for bit", "[export]") {
  for (const TransformerSettings& settings : all_kinds()) {
    const Exported exported(settings);
    const auto encoder = initializers(exported.encoder), decoder = initializers(exported.decoder);
    for (const TensorPlace& place : exported.arena.tensors()) {
      CAPTURE(place.name);
      const bool in_encoder = contains(place.name, "encoder.") || place.name == "model.shared.weight";
      const bool in_decoder = !contains(place.name, "model.encoder.");
      CHECK(encoder.count(place.name) == in_encoder);
      CHECK(decoder.count(place.name) == in_decoder);
      for (const auto* file : {&encoder, &decoder}) {
        const auto found = file->find(place.name);
        if (found == file->end()) continue;
        const onnx::TensorProto& tensor = found->second;
        CHECK(tensor.data_type() == onnx::TensorProto::FLOAT);
        CHECK(std::vector<Index>(tensor.dims().begin(), tensor.dims().end()) == place.shape);
        const auto values = exported.arena.values(place);
        CHECK(numbers<float>(tensor) == std::vector<float>(values.begin(), values.end()));
      }
    }
  }
}

TEST_CASE("the constants of the ONNX graphs are those of the model", "[export]") {
  const Exported exported(example::settings(Norm::post, Tying::target));
  auto encoder = initializers(exported.encoder), decoder = initializers(exported.decoder);
  CHECK(numbers<float>(encoder["embedding_scale"]) == std::vector<float>{std::sqrt(8.0F)});
  CHECK(numbers<float>(encoder["one_over_sqrt_d_head"]) == std::vector<float>{0.5F});
  CHECK(numbers<std::int64_t>(encoder["pad"]) == std::vector<std::int64_t>{example::kSourcePad});
  CHECK(numbers<std::int64_t>(decoder["pad"]) == std::vector<std::int64_t>{example::kTargetPad});

  // The table of positions, as the graph computes it.
  const auto frequency = numbers<double>(decoder["frequency"]), phase = numbers<double>(decoder["phase"]);
  REQUIRE(frequency.size() == 8);
  REQUIRE(phase.size() == 8);
  Buffer<double> positions;
  ensure_positions(2000, 8, positions);
  for (const Index t : {0, 1, 2, 17, 1999}) {
    for (std::size_t j = 0; j < 8; ++j) {
      CHECK(std::sin(static_cast<double>(t) * frequency[j] + phase[j]) ==
            Approx(positions(t, static_cast<Index>(j))).margin(1e-12));
    }
  }
}

TEST_CASE("attention in the ONNX graphs sees what the model was taught to see", "[export]") {
  const std::string self = "model.decoder.layers.1.self_attn.", cross = "model.decoder.layers.1.encoder_attn.";
  const std::string encoder = "model.encoder.layers.1.self_attn.";
  const auto mask_of = [](const onnx::ModelProto& model, const std::string& attention) {
    const Names read = inputs(model, attention + "visible_scores");
    const Names of_weights = inputs(model, attention + "weights");
    if (read.empty()) CHECK(of_weights.size() == 1);  // what the softmax reads
    else CHECK(of_weights == Names{read.front(), "zero", attention + "softmax"});
    return read.empty() ? "" : read.front();
  };
  TransformerSettings settings = example::settings(Norm::post, Tying::none);
  {
    const Exported all(settings);
    CHECK(mask_of(all.encoder, encoder) == "model.encoder.padding_mask");
    CHECK(mask_of(all.decoder, self) == "model.decoder.combined_mask");
    CHECK(inputs(all.decoder, "model.decoder.combined_mask") ==
          Names{"model.decoder.padding_mask", "model.decoder.look_ahead_mask"});
    CHECK(mask_of(all.decoder, cross) == "model.encoder.padding_mask");
    CHECK(inputs(all.decoder, "model.encoder.blocked") == Names{"encoder_attention_mask", "hidden"});
    for (const char* projection : {"k_proj.y", "v_proj.y"}) {
      CHECK(inputs(all.decoder, cross + projection).front() == "model.encoder.memory");
    }
    CHECK(inputs(all.decoder, "model.decoder.blocked") == Names{"input_ids", "pad"});
  }
  settings.masks.encoder_padding = settings.masks.target_padding = false;
  {
    const Exported some(settings);
    CHECK(mask_of(some.encoder, encoder).empty());
    CHECK(mask_of(some.decoder, self) == "model.decoder.look_ahead_mask");
    CHECK(mask_of(some.decoder, cross) == "model.encoder.padding_mask");
  }
  settings.masks = {.encoder_padding = true, .look_ahead = false, .target_padding = true, .cross_padding = false};
  {
    const Exported others(settings);
    CHECK(mask_of(others.encoder, encoder) == "model.encoder.padding_mask");
    CHECK(mask_of(others.decoder, self) == "model.decoder.padding_mask");
    CHECK(mask_of(others.decoder, cross).empty());
  }
}

TEST_CASE("the ONNX graphs have a node for each linear map and each layer norm", "[export]") {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    const Exported exported(example::settings(norm, Tying::all));
    const std::size_t last = norm == Norm::pre ? 1 : 0;
    CHECK(nodes(exported.encoder, "Gemm").size() == 2 * 6);
    CHECK(nodes(exported.decoder, "Gemm").size() == 2 * 10 + 1);
    CHECK(nodes(exported.encoder, "LayerNormalization").size() == 2 * 2 + last);
    CHECK(nodes(exported.decoder, "LayerNormalization").size() == 2 * 3 + last);
    CHECK(inputs(exported.decoder, "lm_head.y").at(1) == "model.shared.weight");
    const std::string layer = "model.decoder.layers.0.", join = layer + "self_attn_layer_norm.";
    const Names sum = inputs(exported.decoder, join + "sum");
    CHECK(sum == Names{"model.decoder.embed_tokens.x", layer + "self_attn.out_proj.y"});
    CHECK(inputs(exported.decoder, join + "y").front() == (norm == Norm::pre ? sum.front() : join + "sum"));
    CHECK(inputs(exported.decoder, layer + "self_attn.q_proj.y").front() ==
          (norm == Norm::pre ? join + "y" : sum.front()));
  }
}

TEST_CASE("an ONNX file that protobuf could not write is refused", "[export]") {
  const Exported exported(example::settings(Norm::post, Tying::none));
  const std::size_t encoder = exported.encoder_bytes.size(), decoder = exported.decoder_bytes.size();
  CHECK(onnx_encoder(exported.model, exported.arena, encoder) == exported.encoder_bytes);
  for (const std::size_t largest : {encoder - 1, std::size_t{1000}}) {
    const std::string message = complaint([&] { onnx_encoder(exported.model, exported.arena, largest); });
    CHECK(contains(message, "at most " + std::to_string(largest) + " bytes"));
    CHECK(contains(message, "the encoder of this model"));
  }
  CHECK(contains(complaint([&] { onnx_decoder(exported.model, exported.arena, decoder - 1); }), "the decoder"));
}

#ifdef GLASSFORMER_ONNX_CHECKER
TEST_CASE("ONNX's own checker finds nothing in the files, whatever the model", "[export]") {
  const test::TemporaryDirectory directory;
  std::vector<TransformerSettings> kinds = all_kinds();
  kinds.push_back(kinds.front());
  kinds.back().masks = {.encoder_padding = false, .look_ahead = false, .target_padding = false, .cross_padding = false};
  std::string files;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Exported exported(kinds[i]);
    files += " " + directory.write("encoder" + std::to_string(i), exported.encoder_bytes).string();
    files += " " + directory.write("decoder" + std::to_string(i), exported.decoder_bytes).string();
  }
  CHECK(std::system((GLASSFORMER_ONNX_CHECKER + files).c_str()) == 0);

  Exported broken(kinds.front());
  broken.encoder.mutable_graph()->mutable_node(3)->set_input(0, "nothing");
  const auto file = directory.write("broken", broken.encoder.SerializeAsString());
  CHECK(std::system((GLASSFORMER_ONNX_CHECKER " " + file.string() + " 2>/dev/null").c_str()) != 0);
}
#endif
