#include "cases.hpp"

#include <algorithm>

#include "glassformer/model/transformer.hpp"
#include "glassformer/recording/recording.hpp"
#include "single_layer.hpp"

namespace glassformer::labs {
namespace {

constexpr Id kPad = 0;

TransformerSettings settings_of(Norm norm, Index encoder_layers, Index decoder_layers, Tying tying = Tying::none) {
  return {.d_model = 4,
          .heads = 2,
          .encoder_layers = encoder_layers,
          .decoder_layers = decoder_layers,
          .d_ff = 6,
          .norm = norm,
          .tied_embeddings = tying,
          .scale_embeddings = false};
}

/// A decoder layer on its own, run forward, then backward.
void decoder_layer(SingleLayer<DecoderLayer<double>>& layer, const Buffer<double>& x, const Buffer<double>& memory,
                   const Buffer<double>& d_y) {
  TransformerMasks masks;
  masks.decoder_combined = look_ahead_mask(x.rows());
  masks.cross_padding = all_visible(1, 1, memory.rows());
  input("x", x);
  input("memory", memory);
  input("y", layer->forward({}, x, memory, masks));
  input("d_y", d_y);
  const auto [d_x, d_memory] = layer->backward({}, d_y);
  output("d_x", d_x);
  output("d_memory", d_memory);
}

void random_decoder_layer(Norm norm) {
  RandomValues random = random_values(10);
  SingleLayer<DecoderLayer<double>> layer(random, settings_of(norm, 0, 1));
  const auto N = either<Index>(2, 3);
  const auto M = either<Index>(3, 5);
  decoder_layer(layer, round_numbers(random, N, 4), round_numbers(random, M, 4), round_numbers(random, N, 4));
}

/// A pre-norm layer that only adds the memory's row to x: all weights are 0, except two that are the identity.
void layer_that_adds_the_memory() {
  RandomValues random(10);
  SingleLayer<DecoderLayer<double>> layer(
      random, TransformerSettings{.d_model = 2, .heads = 1, .d_ff = 2, .norm = Norm::pre, .scale_embeddings = false});
  std::ranges::fill(layer.weights.values(), 0.0);
  CrossAttention<double>& attention = layer->cross_attention.sublayer;
  attention.projections.weight.middle_rows(4, 2).in(layer.weights).eigen().setIdentity();  // values
  attention.out_proj.weight.in(layer.weights).eigen().setIdentity();
  decoder_layer(layer, either<Numbers>({{1, 2}}, {{-3, 0.5}}), either<Numbers>({{30, 40}}, {{20, -10}}),
                either<Numbers>({{5, 6}}, {{-2, 7}}));
}

/// Padded sentence pairs.
struct Batch {
  IdMatrix source, target_input, target_output;
};

/// A transformer with random weights, run forward and backward on one batch after the other. Shows the last batch.
struct Model {
  Transformer<double> model;
  Arena<double> weights{model.tensors()}, gradient{model.tensors()};
  Recording recording;  // of the last batch

  explicit Model(const TransformerSettings& settings)
      : model(settings, {.source_size = 7, .target_size = 5, .special = {{.pad = kPad}, {.pad = kPad}}}) {
    random_values(11).fill(weights);
    model.bind(weights, gradient);
  }

  void run(const Batch& batch) {
    const TransformerMasks masks = model.masks(batch.source, batch.target_input);
    recording = Recording();
    const Pass pass{.recorder = &recording};
    model.forward(pass, {batch.source, batch.target_input, batch.target_output, masks});
    model.backward(pass, 1);
  }
  void show(const Batch& batch) {
    input("source", batch.source);
    input("target_input", batch.target_input);
    input("target_output", batch.target_output);
  }
  /// If the encoder has no layers, each row of the memory is a row of the source embedding, so its gradient is that of
  /// this row. Each token of the source must occur once.
  Buffer<double> d_memory(const Batch& batch) {
    Buffer<double> rows(batch.source.cols(), model.settings.d_model);
    for (Index s = 0; s < rows.rows(); ++s) {
      rows.row(s).eigen() = model.source_embedding.table.in(gradient).row(batch.source(0, s)).eigen();
    }
    return rows;
  }
  /// The terms of the sum, as they should be. They are shown, not compared.
  void show_terms() {
    for (std::size_t i = 0; i < model.decoder_layers.size(); ++i) {
      const std::string& part = model.decoder_layers[i].cross_attention.sublayer.kv_proj.name();
      for (const RecordedTensor& tensor : recording.tensors()) {
        if (tensor.part == part && tensor.name == "d_x") {
          input("d_memory of decoder layer " + std::to_string(i), buffer_of(tensor.values));
        }
      }
    }
  }
  void show_norm(const std::string& name) {
    for (const TensorPlace& tensor : gradient.tensors()) {
      if (tensor.name == name) {
        output("|d " + name + "|", gradient.values(tensor).eigen().norm());
      }
    }
  }
};

// In each, every token of the source occurs once, unless it is padded.
Batch short_pair() {
  return either<Batch>({IdMatrix{{4, 5, 6}}, IdMatrix{{1, 3}}, IdMatrix{{3, 2}}},
                       {IdMatrix{{6, 3}}, IdMatrix{{1, 4, 2}}, IdMatrix{{4, 2, 3}}});
}
Batch another_pair() {
  return either<Batch>({IdMatrix{{3, 2}}, IdMatrix{{1, 4, 3}}, IdMatrix{{4, 3, 2}}},
                       {IdMatrix{{2, 5, 4, 1}}, IdMatrix{{1, 3}}, IdMatrix{{3, 4}}});
}
Batch padded_pairs() {
  return either<Batch>(
      {IdMatrix{{4, 5, 6}, {3, 2, kPad}}, IdMatrix{{1, 3, kPad}, {1, 4, 3}}, IdMatrix{{3, 2, kPad}, {4, 3, 2}}},
      {IdMatrix{{2, kPad, kPad}, {6, 5, 3}}, IdMatrix{{1, 2, 4, 3}, {1, 4, kPad, kPad}},
       IdMatrix{{2, 4, 3, 4}, {4, 2, kPad, kPad}}});
}

/// The number of decoder layers, where there are several.
Index several() { return either<Index>(2, 3); }

void without_encoder_layers(Norm norm, Index decoder_layers) {
  Model model(settings_of(norm, 0, decoder_layers));
  const Batch pair = short_pair();
  model.show(pair);
  model.run(pair);
  model.show_terms();
  output("d_memory_", model.d_memory(pair));
}

}  // namespace

const std::vector<Case> cases = {
    {"a decoder layer that adds the memory to x", "if y = x + memory, the gradients of both are d_y",
     layer_that_adds_the_memory},
    {"a pre-norm decoder layer",
     "feed-forward came last in forward, so it comes first here; each sublayer gets the gradient of its result",
     [] { random_decoder_layer(Norm::pre); }},
    {"a post-norm decoder layer",
     "feed-forward came last in forward, so it comes first here; each sublayer gets the gradient of its result",
     [] { random_decoder_layer(Norm::post); }},
    {"a transformer with one decoder layer", "d_memory_ is what this layer's cross-attention returns",
     [] { without_encoder_layers(Norm::post, 1); }},
    {"several decoder layers", "all layers read the memory, so d_memory_ is the sum of their gradients",
     [] { without_encoder_layers(Norm::post, several()); }},
    {"pre-norm", "decode ends with another layer normalisation before the output map",
     [] {
       Model model(settings_of(Norm::pre, 0, either<Index>(1, 2)));
       const Batch pair = short_pair();
       model.show(pair);
       model.run(pair);
       model.show_norm("model.decoder.layer_norm.weight");
       model.show_norm("model.decoder.layers.0.fc1.weight");
       output("d_memory_", model.d_memory(pair));
     }},
    {"the target embedding", "decode begins with the target embedding, so its table gets a gradient, too",
     [] {
       Model model(settings_of(Norm::post, 0, several()));
       const Batch pair = short_pair();
       model.show(pair);
       model.run(pair);
       output("d_table", model.model.target_embedding.table.in(model.gradient));
     }},
    {"a second batch", "d_memory_ is that of the current batch; only the gradients of parameters add up over batches",
     [] {
       Model model(settings_of(Norm::post, 0, several()));
       const Batch second = another_pair();
       model.show(second);
       model.run(short_pair());
       std::ranges::fill(model.gradient.values(), 0.0);
       model.run(second);
       model.show_terms();
       output("d_memory_", model.d_memory(second));
     }},
    {"an encoder, a decoder, and padding", "all parameters of encoder and decoder get their gradients",
     [] {
       Model model(settings_of(Norm::post, 2, several(), Tying::target));
       const Batch pairs = padded_pairs();
       model.show(pairs);
       model.run(pairs);
       model.show_norm("model.encoder.embed_tokens.weight");
       model.show_norm("model.encoder.layers.0.fc1.weight");
       model.show_norm("model.encoder.layers.1.self_attn.q_proj.weight");
       model.show_norm("model.decoder.embed_tokens.weight");
       model.show_norm("model.decoder.layers.0.self_attn.q_proj.weight");
       model.show_norm("model.decoder.layers.0.fc1.weight");
       model.show_norm("model.decoder.layers.1.encoder_attn.k_proj.weight");
       model.show_norm("final_logits_bias");
     }},
};

}  // namespace glassformer::labs
