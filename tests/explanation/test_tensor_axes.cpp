#include <map>
#include <string>

#include "catch.hpp"
#include "explanation/tensor_axes.hpp"
#include "model/recorded_run.hpp"

using namespace glassformer;

namespace {

/// "B*H*T" in numbers; a digit in front of a letter multiplies it. 0 for a word that is no product of known letters.
Index size_of(const std::string& product, const std::map<char, Index>& sizes) {
  Index size = 1;
  bool letter_needed = true;
  for (const char letter : product) {
    if (letter == '*') {
      if (letter_needed) return 0;
      letter_needed = true;
    } else if ('1' <= letter && letter <= '9') {
      size *= letter - '0';
      letter_needed = product.size() > 1;
    } else if (sizes.contains(letter) && letter_needed) {
      size *= sizes.at(letter);
      letter_needed = false;
    } else {
      return 0;
    }
  }
  return letter_needed ? 0 : size;
}

RecordedTensor tensor_with_axes(const std::string& part, const std::string& axes) {
  return {"a", part, axes, {}, true};
}

}  // namespace

TEST_CASE("The axes of every recorded tensor are its shape", "[explanation]") {
  // With these sizes no two letters are the same, nor two of the products that tensors have for rows or columns.
  TransformerSettings settings = example::settings(Norm::pre, Tying::none);
  settings.d_model = 22;
  settings.d_ff = 17;
  for (const auto& [norm, with_dropout] : {std::pair(Norm::pre, true), std::pair(Norm::post, false)}) {
    settings.norm = norm;
    const example::RecordedRun run(3, with_dropout ? example::with_dropout(settings) : settings, example::batch());
    const std::map<char, Index> sizes{{'B', 3}, {'S', 5}, {'T', 4}, {'H', 2}, {'D', 22}, {'F', 17}, {'V', 7}};
    std::map<char, Index> of_source = sizes;
    of_source['V'] = 9;  // the encoder's table is over the source's vocabulary
    for (const RecordedTensor& tensor : run.recording.tensors()) {
      const std::string axes = tensor_axes(tensor);
      CAPTURE(tensor.part, tensor.name, tensor.axes, axes);
      if (tensor.name == "mask") {  // [B, S] or [B*T, S]: the layer does not know which
        CHECK(axes.empty());
        continue;
      }
      const auto comma = axes.find(", ");
      REQUIRE(comma != std::string::npos);
      const auto& known = tensor.part == "encoder.embed_tokens" ? of_source : sizes;
      CHECK(size_of(axes.substr(0, comma), known) == tensor.values.rows());
      CHECK(size_of(axes.substr(comma + 2), known) == tensor.values.cols());
    }
  }
}

TEST_CASE("A layer's letters are those of its place in the model", "[explanation]") {
  CHECK(tensor_axes(tensor_with_axes("encoder.layers.0.self_attn", "B*H*T, S")) == "B*H*S, S");
  CHECK(tensor_axes(tensor_with_axes("decoder.layers.0.self_attn", "B*H*T, S")) == "B*H*T, T");
  CHECK(tensor_axes(tensor_with_axes("decoder.layers.3.encoder_attn", "B*H*T, S")) == "B*H*T, S");
  CHECK(tensor_axes(tensor_with_axes("encoder.layers.0.self_attn.dropout", "N, D")) == "B*H*S, S");
  CHECK(tensor_axes(tensor_with_axes("decoder.layers.0.self_attn.dropout", "N, D")) == "B*H*T, T");
  CHECK(tensor_axes(tensor_with_axes("decoder.layers.0.encoder_attn.dropout", "N, D")) == "B*H*T, S");
  CHECK(tensor_axes(tensor_with_axes("encoder.layers.0.feed_forward.dropout", "N, D")) == "B*S, F");
  CHECK(tensor_axes(tensor_with_axes("encoder.layers.0.final_layer_norm.residual.dropout", "N, D")) == "B*S, D");
  CHECK(tensor_axes(tensor_with_axes("decoder.embed_tokens.dropout", "N, D")) == "B*T, D");
  CHECK(tensor_axes(tensor_with_axes("decoder.layers.0.encoder_attn.kv_proj", "N, out")) == "B*S, 2D");
  CHECK(tensor_axes(tensor_with_axes("decoder.layers.0.self_attn.qkv_proj", "N, out")) == "B*T, 3D");
  CHECK(tensor_axes(tensor_with_axes("encoder.layers.0.feed_forward.fc1", "out, in")) == "F, D");
  CHECK(tensor_axes(tensor_with_axes("encoder.layers.0.feed_forward.fc2", "out, in")) == "D, F");
  CHECK(tensor_axes(tensor_with_axes("decoder.output", "1, out")) == "1, V");
  CHECK(tensor_axes(tensor_with_axes("decoder", "M, D")) == "B*S, D");
  CHECK(tensor_axes(tensor_with_axes("loss", "N, 1")) == "B*T, 1");
  CHECK(tensor_axes(tensor_with_axes("loss", "")).empty());
}
