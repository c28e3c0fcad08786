#include "export/onnx_transformer.hpp"

#include <cmath>

#include "export/onnx_layers.hpp"

namespace glassformer {
namespace {

using namespace onnx_graph;

/// What embeddings are multiplied by.
float embedding_scale(const TransformerSettings& settings) {
  return settings.scale_embeddings ? std::sqrt(static_cast<float>(settings.d_model)) : 1;
}

/// x [M, D] gives [M, D].
Value encoder_layer(const Part& layer, const TransformerSettings& settings, const Heads& heads, const Value& x,
                    const MaskValue& padding) {
  const Value h = add_and_norm(layer.at("self_attn_layer_norm"), settings.norm, x, [&](const Value& input) {
    return attention(layer.at("self_attn"), heads, input, input, padding);
  });
  return add_and_norm(layer.at("final_layer_norm"), settings.norm, h,
                      [&](const Value& input) { return feed_forward(layer, settings.activation, input); });
}

/// x [N, D] and memory [M, D] give [N, D].
Value decoder_layer(const Part& layer, const TransformerSettings& settings, const Heads& self, const Heads& cross,
                    const Value& x, const Value& memory, const MaskValue& combined, const MaskValue& cross_padding) {
  const Value h = add_and_norm(layer.at("self_attn_layer_norm"), settings.norm, x, [&](const Value& input) {
    return attention(layer.at("self_attn"), self, input, input, combined);
  });
  const Value g = add_and_norm(layer.at("encoder_attn_layer_norm"), settings.norm, h, [&](const Value& input) {
    return attention(layer.at("encoder_attn"), cross, input, memory, cross_padding);
  });
  return add_and_norm(layer.at("final_layer_norm"), settings.norm, g,
                      [&](const Value& input) { return feed_forward(layer, settings.activation, input); });
}

/// Rows become sentences again, under the name by which others ask for them.
void give(Graph& graph, const Value& name, const Value& rows, const Value& sentences, const std::string& length,
          Index width) {
  const Value shape = graph.node(name + "_shape", "Concat", {sentences, graph.integers(name + "_width", {width})},
                                 {{"axis", 0}});
  graph.node(name, "Reshape", {rows, shape});
  graph.output(name, onnx::TensorProto::FLOAT, {"batch_size", length, width});
}

}  // namespace

std::string onnx_encoder(const Transformer<float>& model, const Arena<Transformer<float>::Parameters>& parameters,
                         std::size_t largest) {
  const TransformerSettings& settings = model.settings;
  const auto& p = parameters.parameters();
  const std::string length = "encoder_sequence_length";
  Graph graph("encoder", parameters.tensors(), parameters.values().data(), largest);
  const Value source = graph.input("input_ids", onnx::TensorProto::INT64, {"batch_size", length});
  const Value visible = graph.input("attention_mask", onnx::TensorProto::INT64, {"batch_size", length});

  const Part encoder(graph, "model.encoder");
  const Value sentences = encoder.node("sentences", "Shape", {source});                            // [2]: B, S
  const Value shape = heads_shape(encoder, sentences, settings.d_model, settings.heads);
  const Heads heads{shape, shape, settings.d_model, settings.heads};
  MaskValue padding;
  if (settings.masks.encoder_padding) padding = padding_mask(encoder, visible, graph.integers("hidden", {0}));

  Value x = embedding(encoder.at("embed_tokens"), graph.parameter(p.source_embedding.data()),
                      embedding_scale(settings), settings.d_model, source, places(encoder, source),
                      graph.integers("pad", {model.vocabulary.source_pad}));                       // [M, D]
  for (Index i = 0; i < settings.encoder_layers; ++i) {
    x = encoder_layer(encoder.at("layers", i), settings, heads, x, padding);
  }
  if (settings.norm == Norm::pre) x = layer_norm(encoder.at("layer_norm"), x);
  give(graph, "last_hidden_state", x, sentences, length, settings.d_model);
  return graph.bytes();
}

std::string onnx_decoder(const Transformer<float>& model, const Arena<Transformer<float>::Parameters>& parameters,
                         std::size_t largest) {
  const TransformerSettings& settings = model.settings;
  const auto& p = parameters.parameters();
  const std::string source_length = "encoder_sequence_length", length = "decoder_sequence_length";
  Graph graph("decoder", parameters.tensors(), parameters.values().data(), largest);
  const Value target = graph.input("input_ids", onnx::TensorProto::INT64, {"batch_size", length});
  const Value visible = graph.input("encoder_attention_mask", onnx::TensorProto::INT64, {"batch_size", source_length});
  const Value hidden_states = graph.input("encoder_hidden_states", onnx::TensorProto::FLOAT,
                                          {"batch_size", source_length, settings.d_model});

  const Part decoder(graph, "model.decoder"), encoder(graph, "model.encoder");
  const Value sentences = decoder.node("sentences", "Shape", {target});                            // [2]: B, T
  const Value sources = encoder.node("sentences", "Shape", {hidden_states}, {{"end", 2}});         // [2]: B, S
  const Value target_heads = heads_shape(decoder, sentences, settings.d_model, settings.heads);
  const Value source_heads = heads_shape(encoder, sources, settings.d_model, settings.heads);
  const Heads self{target_heads, target_heads, settings.d_model, settings.heads};
  const Heads cross{target_heads, source_heads, settings.d_model, settings.heads};

  const Value pad = graph.integers("pad", {model.vocabulary.target_pad}), at = places(decoder, target);
  MaskValue target_padding, future, cross_padding;
  if (settings.masks.target_padding) target_padding = padding_mask(decoder, target, pad);
  if (settings.masks.look_ahead) future = look_ahead_mask(decoder, at);
  if (settings.masks.cross_padding) cross_padding = padding_mask(encoder, visible, graph.integers("hidden", {0}));
  const MaskValue combined = combined_mask(decoder, target_padding, future);

  const Value memory = as_rows(encoder, "memory", hidden_states, settings.d_model);                // [M, D]
  Value x = embedding(decoder.at("embed_tokens"), graph.parameter(p.target_embedding.data()),
                      embedding_scale(settings), settings.d_model, target, at, pad);               // [N, D]
  for (Index i = 0; i < settings.decoder_layers; ++i) {
    x = decoder_layer(decoder.at("layers", i), settings, self, cross, x, memory, combined, cross_padding);
  }
  if (settings.norm == Norm::pre) x = layer_norm(decoder.at("layer_norm"), x);
  x = linear(Part(graph, "lm_head"), x, graph.parameter(p.output.weight.data()),
             graph.parameter(p.output.bias.data()));                                               // [N, V]
  give(graph, "logits", x, sentences, length, model.vocabulary.target_size);
  return graph.bytes();
}

}  // namespace glassformer
